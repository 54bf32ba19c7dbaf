// Sums that contain a complete set of atoms whose sum is known.
#pragma once

#include <optional>
#include <vector>

#include "expr/pool_impl.h"

namespace onnx_shapes {

/// The same sum, with `x//n + (x + 1)//n + ... + (x + n - 1)//n` written as x (Hermite's identity)
/// and `max(x, y) + min(x, y)` as x + y, also where these are multiplied by something. One set at a
/// time; nothing if there is none.
[[nodiscard]] std::optional<std::vector<Term>> without_complete_set(Pool::Impl& pool, Terms terms);

}  // namespace onnx_shapes
