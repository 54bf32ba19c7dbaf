// Products of ONNX Runtime's own domain whose weights are packed, or in a layout of their own.
#include <array>

#include "rules/contrib_shapes.h"
#include "rules/contrib_tables.h"
#include "rules/matmul_shapes.h"

namespace onnx_shapes {
namespace {

/// An attribute that is a size; unknown, and a finding, if it is below 1.
Dim size_attribute(InferContext& ctx, std::string_view name, std::string_view label) {
  const auto size = head_count(ctx, name, label);
  return size ? ctx.lit(*size) : Dim();
}

/// Input 0 [..., K] with its last dim replaced, for each of the outputs in turn.
///   C1  input 0 is no scalar     C2  its last dim is K     C3  K and the columns are >= 1
Outcome project(InferContext& ctx, std::initializer_list<std::string_view> columns) {
  for (size_t i = 0; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Dim inner = size_attribute(ctx, "K", "C3");
  if (!inner.known()) return Outcome::kFailed;
  const Shape* a = ctx.shape(0);
  if (a != nullptr) ctx.require_equal(a->back(), inner, "C2", "the last dim of the input and K");
  size_t output = 0;
  for (const std::string_view name : columns) {
    const Dim count = size_attribute(ctx, name, "C3");
    if (!count.known()) return Outcome::kFailed;
    ctx.set_tensor(output++, ctx.elem(0), replaced_last(ctx.shape(0), count));
  }
  return Outcome::kDone;
}

// MatMulNBitsQLoRA-1, MatMulPacked-1. X [..., K] to [..., N].
//   C1 to C3  as for project
Outcome to_n(InferContext& ctx) { return project(ctx, {"N"}); }

// MatMulNBitsMlp-1. A [..., K] to [..., N]; the sum of A and skip is like A.
//   C1 to C3  as for project
Outcome mlp(InferContext& ctx) {
  const Outcome outcome = project(ctx, {"N"});
  set_like(ctx, 1, 0, ctx.elem(0));
  return outcome;
}

// MatMulNBitsQkv-1. A [..., K] to [..., Nq] and twice [..., Nkv]; the sum of A and skip is like A.
//   C1 to C3  as for project
Outcome qkv(InferContext& ctx) {
  const Outcome outcome = project(ctx, {"Nq", "Nkv", "Nkv"});
  set_like(ctx, 3, 0, ctx.elem(0));
  return outcome;
}

// MatMulBlockQuantizedFp4Weight-1, MatMulBlockQuantizedFp8Weight-1. A [..., K] and B [N, ...] to
// [..., N].
//   C1  A is no scalar     C2  B has rank 2
Outcome by_rows(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1") || !ctx.require_rank(1, 2, "C2")) {
    return Outcome::kFailed;
  }
  ctx.set_tensor(0, ctx.elem(0), replaced_last(ctx.shape(0), shape_or_unknown(ctx, 1, 2)[0]));
  return Outcome::kDone;
}

// MatMulFpQ4-1: A, B (a blob), B_shape [2]. A times a matrix of that shape.
//   C1 to C3  as for matmul_shape     C4  B_shape has 2 elements
Outcome of_given_shape(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(2, 1, "C4")) return Outcome::kFailed;
  if (const Shape* count = ctx.shape(2)) {
    ctx.require_equal(count->front(), ctx.lit(2), "C4", "the length of B_shape and 2");
  }
  Shape b = ctx.integers(2).value_or(Shape(2));
  if (b.size() != 2) return Outcome::kFailed;
  ctx.set_tensor(0, ctx.elem(0), matmul_shape(ctx, ctx.shape(0), &b));
  return Outcome::kDone;
}

// GemmFloat8-1. Gemm; Y has the type that dtype says, floats by default.
//   C1  A and B have rank 2     C2  their inner dims are equal
Outcome gemm_float8(InferContext& ctx) {
  const ElemType elem = elem_type(ctx.attr_int("dtype", 1));
  ctx.set_tensor(0, elem);
  ctx.set_tensor(0, elem, gemm_shape(ctx, 0, 1));
  return Outcome::kDone;
}

// QOrderedMatMul-1: A, scale_A, B, ... The shape of B is [K, N] whatever the order of its elements.
//   C1 to C3  as for matmul_shape
Outcome qordered_matmul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(0, ctx.elem(0), matmul_shape(ctx, ctx.shape(0), ctx.shape(2)));
  return Outcome::kDone;
}

// QOrderedGelu-1, QOrderedLayerNormalization-1. Like X.
Outcome like_input(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  return Outcome::kDone;
}

// QuantizeWithOrder-1. Like input, in 8 bits.
Outcome quantize_with_order(InferContext& ctx) {
  set_like(ctx, 0, 0, ElemType::kInt8);
  return Outcome::kDone;
}

// DequantizeWithOrder-1. Like input, of the type that `to` says, or in its first form of the
// scale's.
Outcome dequantize_with_order(InferContext& ctx) {
  const auto to = ctx.attr_int("to");
  set_like(ctx, 0, 0, to ? elem_type(*to) : ctx.elem(1));
  return Outcome::kDone;
}

// QuantizeBFP-1. A blob, and the shape and strides of x [r].
Outcome quantize_bfp(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kUint8, Shape{Dim()});
  const auto rank = ctx.rank(0);
  const Dim count = rank ? ctx.lit(static_cast<int64_t>(*rank)) : Dim();
  for (const size_t i : {1U, 2U}) ctx.set_tensor(i, ElemType::kInt64, Shape{count});
  if (ctx.shape(0) != nullptr) ctx.set_integers(1, *ctx.shape(0));
  return Outcome::kDone;
}

// DequantizeBFP-1: x (a blob), shape, strides. A tensor of that shape, of type dtype.
//   C1  shape has rank 1
Outcome dequantize_bfp(InferContext& ctx) {
  const ElemType elem = elem_type(ctx.attr_int("dtype", 1));
  ctx.set_tensor(0, elem);
  if (!ctx.require_rank(1, 1, "C1")) return Outcome::kFailed;
  std::optional<Shape> shape = ctx.integers(1);
  if (!shape && ctx.shape(1) != nullptr) {
    const auto rank = ctx.shape(1)->front().number();
    if (rank && *rank <= 64) shape.emplace(static_cast<size_t>(*rank));
  }
  ctx.set_tensor(0, elem, std::move(shape));
  return Outcome::kDone;
}

// RouterGateUpProj-1. X [..., K] and W [K, router_size + 2 * inter] to [..., router_size] and [...,
// inter].
//   C1  X is no scalar     C2  W is [K, ...]     C3  router_size >= 1
Outcome router_gate_up(InferContext& ctx) {
  for (const size_t i : {0U, 1U}) ctx.set_tensor(i, ctx.elem(0));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1") || !ctx.require_rank(1, 2, "C2")) {
    return Outcome::kFailed;
  }
  const Dim router = size_attribute(ctx, "router_size", "C3");
  if (!router.known()) return Outcome::kFailed;
  const Shape weight = shape_or_unknown(ctx, 1, 2);
  if (const Shape* x = ctx.shape(0)) {
    ctx.require_equal(x->back(), weight[0], "C2", "the inner dims of X and W");
  }
  ctx.set_tensor(0, ctx.elem(0), replaced_last(ctx.shape(0), router));
  ctx.set_tensor(1, ctx.elem(0), replaced_last(ctx.shape(0), part(ctx, weight[1] - router, 2)));
  return Outcome::kDone;
}

// GatherPacked-1. The rows of a packed table that the indices name: [indices..., K], of type
// output_dtype.
//   C3  K >= 1
Outcome gather_packed(InferContext& ctx) {
  const ElemType elem = elem_type(ctx.attr_int("output_dtype", 16));
  ctx.set_tensor(0, elem);
  const Dim size = size_attribute(ctx, "K", "C3");
  if (!size.known()) return Outcome::kFailed;
  if (const Shape* indices = ctx.shape(1)) {
    Shape out = *indices;
    out.push_back(size);
    ctx.set_tensor(0, elem, std::move(out));
  }
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"DequantizeBFP", 1, dequantize_bfp},
                                               {"DequantizeWithOrder", 1, dequantize_with_order},
                                               {"GatherPacked", 1, gather_packed},
                                               {"GemmFloat8", 1, gemm_float8},
                                               {"MatMulBlockQuantizedFp4Weight", 1, by_rows},
                                               {"MatMulBlockQuantizedFp8Weight", 1, by_rows},
                                               {"MatMulFpQ4", 1, of_given_shape},
                                               {"MatMulNBitsMlp", 1, mlp},
                                               {"MatMulNBitsQLoRA", 1, to_n},
                                               {"MatMulNBitsQkv", 1, qkv},
                                               {"MatMulPacked", 1, to_n},
                                               {"QOrderedGelu", 1, like_input},
                                               {"QOrderedLayerNormalization", 1, like_input},
                                               {"QOrderedMatMul", 1, qordered_matmul},
                                               {"QuantizeBFP", 1, quantize_bfp},
                                               {"QuantizeWithOrder", 1, quantize_with_order},
                                               {"RouterGateUpProj", 1, router_gate_up}});

}  // namespace

std::span<const OpRule> contrib_packed_rules() { return kRules; }

}  // namespace onnx_shapes
