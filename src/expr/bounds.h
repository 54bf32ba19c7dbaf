// The interval that travels with every expression.
#pragma once

#include "expr/pool_impl.h"

namespace onnx_shapes {

/// An interval that holds the value of the sum in every run in which its parts are defined. It sees
/// through a few floor divisions, maxima and minima, so that `x - 2*(x//2)` is in [0, 1].
[[nodiscard]] Interval sum_bounds(Pool::Impl& pool, Terms terms);

/// The same for `a * ka + b * kb`, which is not interned. All integers on overflow.
[[nodiscard]] Interval combined_bounds(Pool::Impl& pool, Dim a, int64_t ka, Dim b, int64_t kb);

}  // namespace onnx_shapes
