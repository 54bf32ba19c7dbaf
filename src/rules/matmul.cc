// Matrix products: MatMul, Gemm and their integer and quantized forms.
#include "rules/matmul_shapes.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kMatMulTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                     ElemType::kBfloat16, ElemType::kUint32,  ElemType::kUint64,
                                     ElemType::kInt32,    ElemType::kInt64};

// MatMul-1. numpy.matmul(A, B).
//   C1 to C3  as for matmul_shape     T1  A and B are of one numeric type
Outcome matmul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0) != ElemType::kUndefined ? ctx.elem(0) : ctx.elem(1));
  ctx.require_elem(0, kMatMulTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  ctx.set_tensor(0, ctx.output(0).elem, matmul_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// Gemm-1. Y [M, N] = alpha * A' B' + beta * C, where A' [M, K] is A or its transpose, so for B'.
//   C1  A and B have rank 2     C2  the inner dims of A' and B' are equal
//   C3  C broadcasts to [M, N]  T1  A, B and C are of one numeric type
Outcome gemm(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0) != ElemType::kUndefined ? ctx.elem(0) : ctx.elem(1));
  ctx.require_elem(0, kMatMulTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  if (ctx.has_input(2)) ctx.require_same_elem(0, 2, "T1");
  auto out = gemm_shape(ctx, 0, 1);
  if (!out) return Outcome::kFailed;
  if (const Shape* c = ctx.shape(2)) {
    require_broadcast_to(ctx, *c, *out, "C3", "C and the product of A and B");
  }
  ctx.set_tensor(0, ctx.output(0).elem, std::move(out));
  return Outcome::kDone;
}

// MatMulInteger-10. numpy.matmul(A, B) of 8-bit integers, accumulated in 32 bits.
//   C1 to C3  as for matmul_shape     T1  A and B hold 8-bit integers
Outcome matmul_integer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32);
  ctx.require_elem(0, kByteTypes, "T1");
  ctx.require_elem(1, kByteTypes, "T1");
  ctx.set_tensor(0, ElemType::kInt32, matmul_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// QLinearMatMul-10. numpy.matmul(a, b) of quantized tensors; inputs a, a_scale, a_zero_point, b,
// b_scale, b_zero_point, y_scale, y_zero_point; y has the type of y_zero_point.
//   C1 to C3  as for matmul_shape     T1  a, b and y_zero_point hold quantized numbers
Outcome qlinear_matmul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(7));
  for (const size_t input : {0U, 3U, 7U}) ctx.require_elem(input, kQuantizedTypes, "T1");
  ctx.set_tensor(0, ctx.elem(7), matmul_shape(ctx, ctx.shape(0), ctx.shape(3)));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"Gemm", 1, gemm},
                                               {"MatMul", 1, matmul},
                                               {"MatMulInteger", 10, matmul_integer},
                                               {"QLinearMatMul", 10, qlinear_matmul}});

}  // namespace

std::span<const Family> matmul_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
