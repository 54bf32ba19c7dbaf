// Convolutions: Conv, its transpose, integer, quantized, deformable and stateful forms.
#include <fmt/format.h>

#include <algorithm>

#include "rules/numeric_types.h"
#include "rules/rules.h"
#include "rules/window.h"

namespace onnx_shapes {
namespace {

/// C4: the bias has one element for each output channel.
void require_bias(InferContext& ctx, size_t input, Dim channels) {
  if (!ctx.require_rank(input, 1, "C4")) return;
  if (const Shape* bias = ctx.shape(input)) {
    ctx.require_equal(bias->front(), channels, "C4", "the length of B and the output channels");
  }
}

// Conv-1. Y [N, M, ...] of X [N, C, ...] and W [M, C / group, ...].
//   C1 to C3, W1 to W6  as for convolved_shape   C4  B has length M   T1  all are of one float type
Outcome conv(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  const auto out = convolved_shape(ctx, ctx.shape(0), ctx.shape(1));
  if (out) require_bias(ctx, 2, (*out)[1]);
  ctx.set_tensor(0, ctx.elem(0), out);
  return Outcome::kDone;
}

// ConvInteger-10. Conv of 8-bit integers, accumulated in 32 bits.
//   C1 to C3, W1 to W6  as for convolved_shape   T1  x and w hold 8-bit integers
Outcome conv_integer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32);
  ctx.require_elem(0, kByteTypes, "T1");
  ctx.require_elem(1, kByteTypes, "T1");
  ctx.set_tensor(0, ElemType::kInt32, convolved_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// QLinearConv-10. Conv of quantized tensors; inputs x, x_scale, x_zero_point, w, w_scale,
// w_zero_point, y_scale, y_zero_point, B; y has the type of y_zero_point.
//   C1 to C3, W1 to W6  as for convolved_shape   C4  B has length M
//   T1  x, w and y_zero_point hold quantized numbers
Outcome qlinear_conv(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(7));
  for (const size_t input : {0U, 3U, 7U}) ctx.require_elem(input, kQuantizedTypes, "T1");
  const auto out = convolved_shape(ctx, ctx.shape(0), ctx.shape(3));
  if (out) require_bias(ctx, 8, (*out)[1]);
  ctx.set_tensor(0, ctx.elem(7), out);
  return Outcome::kDone;
}

/// output_shape: the spatial sizes, or (as ONNX Runtime reads it too) the whole shape.
std::optional<Shape> explicit_output(InferContext& ctx, size_t rank, Shape out) {
  const auto sizes = ctx.attr_ints("output_shape");
  const size_t spatial = rank - 2;
  if (sizes->size() != spatial && sizes->size() != rank) {
    ctx.report(
        Code::kAttribute, "C5",
        fmt::format("output_shape has {} sizes for {} spatial axes", sizes->size(), spatial));
    return std::nullopt;
  }
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t size = (*sizes)[sizes->size() - spatial + i];
    if (size < 0) {
      ctx.report(Code::kAttribute, "C5", fmt::format("output_shape has the size {}", size));
      return std::nullopt;
    }
    out[2 + i] = ctx.lit(size);
  }
  return out;
}

// ConvTranspose-1. Y [N, M, ...] of X [N, C, ...] and W [C, M / group, ...]; the spatial dims are
// those of output_shape, or as transposed_dim says.
//   C1  X and W have the same rank >= 3     C2  C is the first dim of W
//   C3  group >= 1, and divides C           C4  B has length M
//   C5  output_shape has one size >= 0 for each spatial axis
//   C6  output_padding has one number >= 0 for each spatial axis
//   W1 to W6  as for read_window            T1  all are of one float type
Outcome conv_transpose(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  const Shape* x = ctx.shape(0);
  const Shape* w = ctx.shape(1);
  if (x == nullptr && w == nullptr) return Outcome::kDone;
  const size_t rank = x != nullptr ? x->size() : w->size();
  if (rank < 3 || (w != nullptr && w->size() != rank)) {
    return ctx.fail(Code::kInputRank, "C1", "X and W need the same rank, at least 3");
  }
  const int64_t group = ctx.attr_int("group", 1);
  const auto channels = w != nullptr ? w->front().number() : std::nullopt;
  if (group < 1 || (channels && *channels % group != 0)) {
    return ctx.fail(
        Code::kAttribute, "C3",
        fmt::format("group is {}, which must be a positive divisor of the channels", group));
  }
  Shape out(rank);
  if (x != nullptr) out[0] = x->front();
  if (w != nullptr) out[1] = (*w)[1] * group;
  if (x != nullptr && w != nullptr) {
    ctx.require_equal((*x)[1], w->front(), "C2", "the channels of X and of W");
  }
  require_bias(ctx, 2, out[1]);
  const auto window =
      read_window(ctx, w != nullptr ? Shape(w->begin() + 2, w->end()) : Shape(rank - 2));
  if (!window) return Outcome::kFailed;
  if (const auto sizes = ctx.attr_ints("output_shape"); sizes && !sizes->empty()) {
    ctx.set_tensor(0, ctx.elem(0), explicit_output(ctx, rank, std::move(out)));
    return Outcome::kDone;
  }
  std::vector<int64_t> padding(rank - 2, 0);
  if (const auto given = ctx.attr_ints("output_padding"); given && !given->empty()) {
    if (given->size() != padding.size() ||
        std::ranges::any_of(*given, [](int64_t p) { return p < 0; })) {
      return ctx.fail(Code::kAttribute, "C6",
                      "output_padding needs one number of at least 0 for each spatial axis");
    }
    padding.assign(given->begin(), given->end());
  }
  for (size_t i = 2; i < rank && x != nullptr; ++i) {
    out[i] = transposed_dim(ctx, (*x)[i], *window, i - 2, padding[i - 2]);
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// DeformConv-19. Conv whose taps are moved by offset [N, offset_group * taps * n, ...] and scaled
// by mask [N, offset_group * taps, ...], where taps is the kernel's element count and n the number
// of spatial axes; both have Y's spatial dims.
//   C1 to C3, W1 to W6  as for convolved_shape   C4  B has length M
//   C5  offset and mask have Y's batch and spatial dims
//   C6  offset and mask have one channel for each coordinate or tap, times offset_group
//   T1  all are of one float type
Outcome deform_conv(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  auto out = convolved_shape(ctx, ctx.shape(0), ctx.shape(1));
  if (!out) return Outcome::kDone;
  require_bias(ctx, 3, (*out)[1]);
  const size_t rank = out->size();
  const Shape* w = ctx.shape(1);
  const Dim taps = w != nullptr ? element_count(ctx.pool(), std::span(*w).subspan(2)) : Dim();
  const int64_t offset_group = ctx.attr_int("offset_group", 1);
  for (const size_t input : {2U, 4U}) {
    if (!ctx.require_rank(input, rank, "C5")) return Outcome::kFailed;
    const Shape* given = ctx.shape(input);
    if (given == nullptr) continue;
    for (size_t i = 0; i < rank; ++i) {
      if (i == 1) continue;
      (*out)[i] = ctx.require_equal((*out)[i], (*given)[i], "C5", "the dims of offset and output");
    }
    // The specification contradicts itself on the channels of the mask for n != 2.
    if (input == 4 && rank != 4) continue;
    const int64_t coordinates = input == 2 ? static_cast<int64_t>(rank) - 2 : 1;
    ctx.require_equal((*given)[1], taps * offset_group * coordinates, "C6",
                      "the channels of offset and the taps of the kernel");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// CausalConvWithState-27. Y like input [N, C, L]; the state keeps the last k - 1 positions, where
// weight is [C, 1, k].
//   C1  input, weight and past_state have rank 3   C2  weight is [C, 1, k]
//   C3  past_state is [N, C, k - 1]                C4  bias has length C
//   T1  all are of one float type
Outcome causal_conv_with_state(InferContext& ctx) {
  for (const size_t output : {0U, 1U}) ctx.set_tensor(output, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  for (const size_t input : {0U, 1U, 3U}) {
    if (!ctx.require_rank(input, 3, "C1")) return Outcome::kFailed;
  }
  Shape state(3);
  Shape out(3);
  if (const Shape* x = ctx.shape(0)) out = *x;
  if (const Shape* w = ctx.shape(1)) {
    out[1] = ctx.require_equal(out[1], w->front(), "C2", "the channels of input and weight");
    ctx.require_equal((*w)[1], ctx.lit(1), "C2", "the second dim of weight and 1");
    state[2] = w->back() - 1;
  }
  require_bias(ctx, 2, out[1]);
  if (const Shape* past = ctx.shape(3)) {
    out[0] = ctx.require_equal(out[0], past->front(), "C3", "the batch of input and past_state");
    out[1] = ctx.require_equal(out[1], (*past)[1], "C3", "the channels of input and past_state");
    state[2] =
        ctx.require_equal(state[2], past->back(), "C3", "the length of past_state and k - 1");
  }
  state[0] = out[0];
  state[1] = out[1];
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  ctx.set_tensor(1, ctx.elem(0), std::move(state));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"CausalConvWithState", 27, causal_conv_with_state},
                                               {"Conv", 1, conv},
                                               {"ConvInteger", 10, conv_integer},
                                               {"ConvTranspose", 1, conv_transpose},
                                               {"DeformConv", 19, deform_conv},
                                               {"QLinearConv", 10, qlinear_conv}});

}  // namespace

std::span<const Family> convolution_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
