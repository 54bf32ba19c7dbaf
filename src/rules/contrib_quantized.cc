// Quantized operators of ONNX Runtime's own domain.
#include <algorithm>

#include "rules/contrib_shapes.h"
#include "rules/matmul_shapes.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"
#include "rules/window.h"

namespace onnx_shapes {
namespace {

/// Y is numpy.matmul(A, B) of the given type.
Outcome set_matmul(InferContext& ctx, ElemType elem) {
  ctx.set_tensor(0, elem);
  ctx.set_tensor(0, elem, matmul_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// MatMulIntegerToFloat-1: A, B, a_scale, b_scale, ...; Y has the type of a_scale.
//   C1 to C3  as for matmul_shape
Outcome matmul_integer_to_float(InferContext& ctx) { return set_matmul(ctx, ctx.elem(2)); }

// DynamicQuantizeMatMul-1: A, B, b_scale, ...; Y has the type of A.
//   C1 to C3  as for matmul_shape
Outcome dynamic_quantize_matmul(InferContext& ctx) { return set_matmul(ctx, ctx.elem(0)); }

// MatMulInteger16-1. Y holds 32-bit integers.
//   C1 to C3  as for matmul_shape
Outcome matmul_integer16(InferContext& ctx) { return set_matmul(ctx, ElemType::kInt32); }

// MatMulNBits-1, MatMulBnb4-1. A [..., K] times packed weights that stand for [K, N]: [..., N].
//   C1  A is no scalar     C2  the last dim of A is K     C3  K and N are >= 1
Outcome matmul_packed(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  const int64_t inner = ctx.attr_int("K", 0);
  const int64_t columns = ctx.attr_int("N", 0);
  if (inner < 1 || columns < 1) {
    return ctx.fail(Code::kAttribute, "C3", "K and N must be at least 1");
  }
  const Shape* a = ctx.shape(0);
  if (a != nullptr) ctx.require_equal(a->back(), ctx.lit(inner), "C2", "the last dim of A and K");
  ctx.set_tensor(0, ctx.elem(0), replaced_last(a, ctx.lit(columns)));
  return Outcome::kDone;
}

/// Broadcasts the shapes of the given inputs; nothing if a rank is unknown.
std::optional<Shape> broadcast_of(InferContext& ctx, std::initializer_list<size_t> inputs) {
  Shape out;
  for (const size_t input : inputs) {
    const Shape* shape = ctx.shape(input);
    if (shape == nullptr) return std::nullopt;
    out = ctx.broadcast_shapes(out, *shape, "C1");
  }
  return out;
}

// QLinearAdd-1, QLinearMul-1: A, A_scale, A_zero_point, B, ...; C has the type of A.
//   C1  A and B broadcast     T1  they are of one type
Outcome qlinear_binary(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_same_elem(0, 3, "T1");
  ctx.set_tensor(0, ctx.elem(0), broadcast_of(ctx, {0, 3}));
  return Outcome::kDone;
}

// QLinearWhere-1: condition, X, x_scale, x_zero_point, Y, ...
//   C1  condition, X and Y broadcast     T1  X and Y are of one type
Outcome qlinear_where(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(1));
  ctx.require_same_elem(1, 4, "T1");
  ctx.set_tensor(0, ctx.elem(1), broadcast_of(ctx, {0, 1, 4}));
  return Outcome::kDone;
}

// QLinearLeakyRelu-1, QLinearSigmoid-1, QLinearSoftmax-1. Like X.
Outcome qlinear_unary(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  return Outcome::kDone;
}

// QLinearConcat-1: y_scale, y_zero_point, then (X, scale, zero_point) for each part.
//   C1  -r <= axis < r     C2  the parts have the same rank     C3  and dims, except along axis
Outcome qlinear_concat(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(1));
  std::optional<Shape> out;
  std::optional<size_t> axis;
  for (size_t i = 2; i < ctx.input_count(); i += 3) {
    const Shape* part = ctx.shape(i);
    if (part == nullptr) return Outcome::kDone;
    if (!out) {
      axis = normalise_axis(ctx.attr_int("axis", 0), part->size());
      if (!axis) return ctx.fail(Code::kAttribute, "C1", "axis is outside the parts' rank");
      out = *part;
      continue;
    }
    if (!ctx.require_rank(i, out->size(), "C2")) return Outcome::kFailed;
    for (size_t d = 0; d < out->size(); ++d) {
      Dim& dim = (*out)[d];
      dim = d == *axis ? dim + (*part)[d]
                       : ctx.require_equal(dim, (*part)[d], "C3", "the dims beside the axis");
    }
  }
  ctx.set_tensor(0, ctx.elem(1), std::move(out));
  return Outcome::kDone;
}

/// Input `input` as [N, C, ...], whichever place attribute channels_last gives the channels.
std::optional<Shape> channels_first(InferContext& ctx, size_t input) {
  const Shape* shape = ctx.shape(input);
  if (shape == nullptr) return std::nullopt;
  return ctx.attr_int("channels_last", 0) != 0 ? channels_moved(shape, true) : *shape;
}

/// The inverse of channels_first.
std::optional<Shape> channels_back(InferContext& ctx, const std::optional<Shape>& shape) {
  if (!shape || ctx.attr_int("channels_last", 0) == 0) return shape;
  return channels_moved(&*shape, false);
}

// QLinearConv-1. As QLinearConv-10 of ONNX, or with the channels last.
//   C1 to C3, W1 to W6  as for convolved_shape
Outcome qlinear_conv(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(7));
  const auto x = channels_first(ctx, 0);
  const auto out = convolved_shape(ctx, x ? &*x : nullptr, ctx.shape(3));
  ctx.set_tensor(0, ctx.elem(7), channels_back(ctx, out));
  return Outcome::kDone;
}

// QLinearAveragePool-1. As AveragePool, with the channels last if channels_last is set.
//   C1  X has rank >= 3     W1 to W6  as for read_window
Outcome qlinear_average_pool(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const auto x = channels_first(ctx, 0);
  if (!x) return Outcome::kDone;
  const auto window = read_window(ctx, Shape(x->size() - 2));
  if (!window) return Outcome::kFailed;
  Shape out = *x;
  for (size_t i = 2; i < out.size(); ++i) {
    out[i] = pooled_dim(ctx, (*x)[i], *window, i - 2, ctx.attr_int("ceil_mode", 0) != 0);
  }
  ctx.set_tensor(0, ctx.elem(0), channels_back(ctx, out));
  return Outcome::kDone;
}

// QLinearGlobalAveragePool-1. 1 in place of each spatial dim.
//   C1  X has rank >= 3
Outcome qlinear_global_average_pool(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  auto out = channels_first(ctx, 0);
  if (!out) return Outcome::kDone;
  std::fill(out->begin() + 2, out->end(), ctx.lit(1));
  ctx.set_tensor(0, ctx.elem(0), channels_back(ctx, out));
  return Outcome::kDone;
}

// QGemm-1: A, a_scale, a_zero_point, B, b_scale, b_zero_point, C, y_scale, y_zero_point. Y has the
// type of y_zero_point, or without it that of a_scale.
//   C1  A and B have rank 2     C2  the inner dims are equal
Outcome qgemm(InferContext& ctx) {
  const ElemType elem = ctx.has_input(8) ? ctx.elem(8) : ctx.elem(1);
  ctx.set_tensor(0, elem);
  const auto out = gemm_shape(ctx, 0, 3);
  if (!out) return Outcome::kFailed;
  ctx.set_tensor(0, elem, out);
  return Outcome::kDone;
}

// MulInteger-1: A, A_zero_point, B, B_zero_point; 32-bit products.
//   C1  A and B broadcast
Outcome mul_integer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32, broadcast_of(ctx, {0, 2}));
  return Outcome::kDone;
}

// QuantizeLinear-1: x, y_scale, y_zero_point; y is like x, of the type of y_zero_point.
Outcome quantize_linear(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.has_input(2) ? ctx.elem(2) : ElemType::kUint8);
  return Outcome::kDone;
}

// DequantizeLinear-1: x, x_scale, ...; y is like x, of the type of x_scale.
Outcome dequantize_linear(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(1));
  return Outcome::kDone;
}

/// One of several dims that must be equal, as far as it is known yet.
void unify(InferContext& ctx, Dim& dim, size_t input, size_t rank, size_t axis) {
  const Shape* shape = ctx.shape(input);
  if (shape != nullptr && shape->size() == rank) {
    dim = ctx.require_equal(dim, (*shape)[axis], "C2", "the dims that the inputs share");
  }
}

// DynamicQuantizeLSTM-1: X [sequence, batch, input], W [directions, input, 4 * hidden], R
// [directions, hidden, 4 * hidden], B, sequence_lens, initial_h, initial_c, P, ...; Y [sequence,
// directions, batch, hidden], the states [directions, batch, hidden].
//   C1  X, W and R have rank 3     C2  the dims that they share are equal
Outcome dynamic_quantize_lstm(InferContext& ctx) {
  for (size_t i = 0; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0));
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_rank(i, 3, "C1")) return Outcome::kFailed;
  }
  Dim sequence;
  Dim batch;
  Dim input;
  Dim directions = ctx.lit(ctx.attr_string("direction", "forward") == "bidirectional" ? 2 : 1);
  Dim hidden;
  if (const auto size = ctx.attr_int("hidden_size")) hidden = ctx.lit(*size);
  unify(ctx, sequence, 0, 3, 0);
  unify(ctx, batch, 0, 3, 1);
  unify(ctx, input, 0, 3, 2);
  unify(ctx, input, 1, 3, 1);
  unify(ctx, hidden, 2, 3, 1);
  unify(ctx, directions, 1, 3, 0);
  unify(ctx, directions, 2, 3, 0);
  ctx.set_tensor(0, ctx.elem(0), Shape{sequence, directions, batch, hidden});
  for (size_t i = 1; i < ctx.output_count(); ++i) {
    ctx.set_tensor(i, ctx.elem(0), Shape{directions, batch, hidden});
  }
  return Outcome::kDone;
}

constexpr auto kRules =
    std::to_array<OpRule>({{"DequantizeLinear", 1, dequantize_linear},
                           {"DynamicQuantizeLSTM", 1, dynamic_quantize_lstm},
                           {"DynamicQuantizeMatMul", 1, dynamic_quantize_matmul},
                           {"MatMulBnb4", 1, matmul_packed},
                           {"MatMulInteger16", 1, matmul_integer16},
                           {"MatMulIntegerToFloat", 1, matmul_integer_to_float},
                           {"MatMulNBits", 1, matmul_packed},
                           {"MulInteger", 1, mul_integer},
                           {"QGemm", 1, qgemm},
                           {"QLinearAdd", 1, qlinear_binary},
                           {"QLinearAveragePool", 1, qlinear_average_pool},
                           {"QLinearConcat", 1, qlinear_concat},
                           {"QLinearConv", 1, qlinear_conv},
                           {"QLinearGlobalAveragePool", 1, qlinear_global_average_pool},
                           {"QLinearLeakyRelu", 1, qlinear_unary},
                           {"QLinearMul", 1, qlinear_binary},
                           {"QLinearSigmoid", 1, qlinear_unary},
                           {"QLinearSoftmax", 1, qlinear_unary},
                           {"QLinearWhere", 1, qlinear_where},
                           {"QuantizeLinear", 1, quantize_linear}});

}  // namespace

std::span<const Family> contrib_quantized_family() {
  static constexpr std::array kFamilies = {Family{"com.microsoft", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
