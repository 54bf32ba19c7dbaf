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

/// hidden / count, where every run that completes has no remainder.
[[nodiscard]] Dim part(InferContext& ctx, Dim hidden, int64_t count);

/// An attribute that counts heads; nothing, and a finding, if it is below 1.
[[nodiscard]] std::optional<int64_t> head_count(InferContext& ctx, std::string_view name,
                                                std::string_view label);

/// The shape of an input of that rank; of unknown dims where its rank is not known.
[[nodiscard]] Shape shape_or_unknown(const InferContext& ctx, size_t input, size_t rank);

}  // namespace onnx_shapes
