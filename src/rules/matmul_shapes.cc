#include "rules/matmul_shapes.h"

#include <fmt/format.h>

namespace onnx_shapes {

std::optional<Shape> matmul_shape(InferContext& ctx, const Shape* a, const Shape* b) {
  if (a == nullptr || b == nullptr) return std::nullopt;
  if (a->empty() || b->empty()) {
    ctx.report(Code::kInputRank, "C1", "a scalar has no matrix product", "use Mul for scalars");
    return std::nullopt;
  }
  const bool row = a->size() == 1;
  const bool column = b->size() == 1;
  const Dim b_inner = column ? b->front() : (*b)[b->size() - 2];
  ctx.require_equal(a->back(), b_inner, "C2", "the inner dims of A and B");
  const Shape b_batch(b->begin(), b->end() - (column ? 1 : 2));
  Shape out = ctx.broadcast_shapes(Shape(a->begin(), a->end() - (row ? 1 : 2)), b_batch, "C3");
  if (!row) out.push_back((*a)[a->size() - 2]);
  if (!column) out.push_back(b->back());
  return out;
}

std::optional<Shape> gemm_shape(InferContext& ctx, size_t a, size_t b) {
  if (!ctx.require_rank(a, 2, "C1") || !ctx.require_rank(b, 2, "C1")) return std::nullopt;
  const bool transposed_a = ctx.attr_int("transA", 0) != 0;
  const bool transposed_b = ctx.attr_int("transB", 0) != 0;
  Shape out(2);
  Dim a_inner;
  Dim b_inner;
  if (const Shape* shape = ctx.shape(a)) {
    out[0] = (*shape)[transposed_a ? 1 : 0];
    a_inner = (*shape)[transposed_a ? 0 : 1];
  }
  if (const Shape* shape = ctx.shape(b)) {
    out[1] = (*shape)[transposed_b ? 0 : 1];
    b_inner = (*shape)[transposed_b ? 1 : 0];
  }
  ctx.require_equal(a_inner, b_inner, "C2", "the inner dims of A and B");
  return out;
}

void require_broadcast_to(InferContext& ctx, const Shape& from, const Shape& to,
                          std::string_view label, std::string_view what) {
  if (from.size() > to.size()) {
    ctx.report(Code::kInputRank, label,
               fmt::format("{} do not broadcast in one direction: rank {} is above rank {}", what,
                           from.size(), to.size()));
    return;
  }
  const size_t offset = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (ctx.prover().provably_not(from[i], 1))
      ctx.require_equal(from[i], to[offset + i], label, what);
  }
}

}  // namespace onnx_shapes
