// Shapes that the families of ONNX Runtime's own operators share.
#pragma once

#include "infer/context.h"

namespace onnx_shapes {

/// Output `output` has the shape of input `input`, as far as it is known.
void set_like(InferContext& ctx, size_t output, size_t input, ElemType elem);

/// The shape with another last dim; nothing for a scalar and for null (unknown rank).
[[nodiscard]] std::optional<Shape> replaced_last(const Shape* shape, Dim last);

/// [N, ..., C] as [N, C, ...], or (to_second false) back; nothing for a rank below 3 and for null.
[[nodiscard]] std::optional<Shape> channels_moved(const Shape* shape, bool to_second);

}  // namespace onnx_shapes
