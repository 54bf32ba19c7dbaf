// Integer division that rounds towards 0, of numbers whose sign is not known.
#pragma once

#include "infer/context.h"

namespace onnx_shapes {

/// trunc(a / b) for b >= 1, written with floor divisions, max and min; unknown where that takes too
/// many of them.
[[nodiscard]] Dim truncated_quotient(InferContext& ctx, Dim a, int64_t b);

}  // namespace onnx_shapes
