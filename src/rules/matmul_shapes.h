// The shapes of matrix products, shared by every operator that multiplies matrices.
#pragma once

#include "infer/context.h"

namespace onnx_shapes {

/// The shape of `numpy.matmul(a, b)`: a vector is a row on the left and a column on the right, and
/// the axis that makes it a matrix is dropped again; the axes before the last two broadcast.
/// Nothing if a rank is unknown (null) or a product of these shapes does not exist (reported).
///   C1  a and b have rank >= 1
///   C2  the last dim of a is the last but one of b
///   C3  the leading axes of a and b broadcast
[[nodiscard]] std::optional<Shape> matmul_shape(InferContext& ctx, const Shape* a, const Shape* b);

/// [M, N] of A' [M, K] and B' [K, N], where A' is input a or, with transA, its transpose, so for
/// B'. Nothing after a finding.
///   C1  A and B have rank 2     C2  the inner dims of A' and B' are equal
[[nodiscard]] std::optional<Shape> gemm_shape(InferContext& ctx, size_t a, size_t b);

/// Checks that `from` broadcasts to the shape `to` without changing it (aligned at the right): each
/// dim of `from` is 1 or the dim of `to`. What cannot be 1 is required to be equal. `what` names
/// the two for the reader: "C and the product of A and B".
void require_broadcast_to(InferContext& ctx, const Shape& from, const Shape& to,
                          std::string_view label, std::string_view what);

}  // namespace onnx_shapes
