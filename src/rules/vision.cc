// Images: Col2Im.
#include <fmt/format.h>

#include "rules/numeric_types.h"
#include "rules/rules.h"
#include "rules/window.h"

namespace onnx_shapes {
namespace {

/// The length that an input vector has: of its contents, or of its shape.
std::optional<size_t> vector_length(InferContext& ctx, size_t input) {
  const Shape* shape = ctx.shape(input);
  const auto length =
      shape != nullptr && shape->size() == 1 ? shape->front().number() : std::nullopt;
  if (!length || *length < 0 || *length > static_cast<int64_t>(kMaxElements)) return std::nullopt;
  return static_cast<size_t>(*length);
}

// Col2Im-18. input [N, C * the product of block_shape, the number of blocks] to [N, C,
// image_shape...]; the number of blocks on an axis is that of a convolution's positions.
//   C1  input has rank 3     C2  image_shape and block_shape are vectors of one length
//   C3  the last dim of input is the number of blocks
//   C4  the middle dim of input is a multiple of the product of block_shape
//   T1  image_shape and block_shape hold 64-bit integers     W2 to W4  as for read_window
Outcome col2im(InferContext& ctx) {
  constexpr std::array kSizes = {ElemType::kInt64};
  ctx.set_tensor(0, ctx.elem(0));
  for (const size_t i : {1U, 2U}) {
    ctx.require_elem(i, kSizes, "T1");
    if (!ctx.require_rank(i, 1, "C2")) return Outcome::kFailed;
  }
  if (!ctx.require_rank(0, 3, "C1")) return Outcome::kFailed;
  const Shape input = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(3);
  if (ctx.shape(1) != nullptr && ctx.shape(2) != nullptr) {
    ctx.require_equal(ctx.shape(1)->front(), ctx.shape(2)->front(), "C2",
                      "the lengths of image_shape and block_shape");
  }
  auto spatial = vector_length(ctx, 1);
  if (!spatial) spatial = vector_length(ctx, 2);
  if (!spatial) return Outcome::kDone;
  const Shape image = ctx.integers(1).value_or(Shape(*spatial));
  const Shape block = ctx.integers(2).value_or(Shape(*spatial));
  if (image.size() != *spatial || block.size() != *spatial) return Outcome::kFailed;
  const auto window = read_window(ctx, block);
  if (!window) return Outcome::kFailed;
  const Dim size = element_count(ctx.pool(), block);
  const Dim exact = exact_quotient(input[1], size);
  const bool positive = size.known() && ctx.prover().provably_at_least(size, 1);
  if (input[1].number() && size.number() && *size.number() > 0 && !exact.known()) {
    return ctx.fail(Code::kInputDim, "C4",
                    fmt::format("{} is no multiple of the block's {} elements", *input[1].number(),
                                *size.number()));
  }
  Dim blocks = ctx.lit(1);
  for (size_t i = 0; i < *spatial; ++i) {
    blocks = blocks * convolved_dim(ctx, image[i], *window, i);
  }
  ctx.require_equal(input[2], blocks, "C3", "the last dim of input and the number of blocks");
  Shape out{input[0], exact.known() || !positive ? exact : floor_div(input[1], size)};
  out.insert(out.end(), image.begin(), image.end());
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"Col2Im", 18, col2im}});

}  // namespace

std::span<const Family> vision_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
