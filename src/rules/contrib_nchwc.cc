// Operators on the blocked channel layout that ONNX Runtime's optimizer writes for CPUs: tensors
// are [N, C, ...] with C rounded up to the block, whose size depends on the machine.
#include <algorithm>

#include "rules/contrib_shapes.h"
#include "rules/rules.h"
#include "rules/window.h"

namespace onnx_shapes {
namespace {

// ReorderInput-1. X [N, C, ...], or [N, ..., C] with channels_last, to the blocked layout.
//   C1  X has rank >= 3
Outcome reorder_input(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = ctx.attr_int("channels_last", 0) != 0 ? *channels_moved(x, true) : *x;
  const Dim channels = out[1];
  out[1] = ctx.fresh("channels");
  ctx.at_most(channels, out[1], "nchwc-block");
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// ReorderOutput-1. The blocked layout to [N, channels, ...], or [N, ..., channels] with
// channels_last.
//   C1  X has rank >= 3     C2  channels >= 1
Outcome reorder_output(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const int64_t channels = ctx.attr_int("channels", 0);
  if (channels < 1) return ctx.fail(Code::kAttribute, "C2", "channels must be at least 1");
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = *x;
  out[1] = ctx.lit(channels);
  if (ctx.attr_int("channels_last", 0) != 0) out = *channels_moved(&out, false);
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// Conv-1: X, W, B, Sum.
//   C1 to C3, W1 to W6  as for convolved_shape
Outcome conv(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(0, ctx.elem(0), convolved_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// MaxPool-1, AveragePool-1.
//   C1  X has rank >= 3     W1 to W6  as for read_window
Outcome pool(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  const auto window = read_window(ctx, Shape(x->size() - 2));
  if (!window) return Outcome::kFailed;
  Shape out = *x;
  for (size_t i = 2; i < out.size(); ++i) {
    out[i] = pooled_dim(ctx, out[i], *window, i - 2, ctx.attr_int("ceil_mode", 0) != 0);
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// GlobalMaxPool-1, GlobalAveragePool-1.
//   C1  X has rank >= 3
Outcome global_pool(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = *x;
  std::fill(out.begin() + 2, out.end(), ctx.lit(1));
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// Upsample-1. Each dim times its number in scales.
//   C1  scales has one number >= 1 for each axis
Outcome upsample(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  const auto scales = ctx.attr_ints("scales");
  if (!scales || scales->size() != x->size() ||
      std::any_of(scales->begin(), scales->end(), [](int64_t scale) { return scale < 1; })) {
    return ctx.fail(Code::kAttribute, "C1", "scales needs one number >= 1 for each axis");
  }
  Shape out = *x;
  for (size_t i = 0; i < out.size(); ++i) out[i] = out[i] * (*scales)[i];
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"AveragePool", 1, pool},
                                               {"Conv", 1, conv},
                                               {"GlobalAveragePool", 1, global_pool},
                                               {"GlobalMaxPool", 1, global_pool},
                                               {"MaxPool", 1, pool},
                                               {"ReorderInput", 1, reorder_input},
                                               {"ReorderOutput", 1, reorder_output},
                                               {"Upsample", 1, upsample}});

}  // namespace

std::span<const Family> contrib_nchwc_family() {
  static constexpr std::array kFamilies = {Family{"com.microsoft.nchwc", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
