// Normalizations: the output has the shape of X; what differs is what the parameters must be.
#include <fmt/format.h>

#include <algorithm>

#include "rules/matmul_shapes.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// Requires input i, if it is there, to be a vector of the given length.
Dim require_vector(InferContext& ctx, size_t input, Dim length, std::string_view label,
                   std::string_view what) {
  if (!ctx.require_rank(input, 1, label)) return length;
  const Shape* shape = ctx.shape(input);
  return shape == nullptr ? length : ctx.require_equal(length, shape->front(), label, what);
}

/// Y has the shape of X, as far as it is known.
void set_like_input(InferContext& ctx, size_t output, ElemType elem) {
  const Shape* x = ctx.shape(0);
  ctx.set_tensor(output, elem, x != nullptr ? std::optional(*x) : std::nullopt);
}

// BatchNormalization-1. Y like X [N, C, ...]; scale, B, mean and var are [C], where C is 1 for a
// vector X. The further outputs (running and saved statistics) are [C] too. With spatial = 0
// (opset 1 to 8) the statistics are those of each feature, [C, ...].
//   C1  scale, B, mean and var have the length C     C2  X is no scalar     T1  X holds floats
Outcome batch_normalization(InferContext& ctx) {
  set_like_input(ctx, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C2")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  const ElemType statistics = ctx.elem(3) != ElemType::kUndefined ? ctx.elem(3) : ctx.elem(0);
  if (ctx.attr_int("spatial", 1) == 0) {
    const Shape* mean = ctx.shape(3);
    for (size_t i = 1; i < ctx.output_count(); ++i) {
      ctx.set_tensor(i, statistics, mean != nullptr ? std::optional(*mean) : std::nullopt);
    }
    return Outcome::kDone;
  }
  Dim channels;
  if (x != nullptr) channels = x->size() == 1 ? ctx.lit(1) : (*x)[1];
  for (size_t i = 1; i < 5; ++i) {
    channels = require_vector(ctx, i, channels, "C1", "the channels and the statistics' lengths");
  }
  if (x != nullptr && x->size() > 1) {
    Shape out = *x;
    out[1] = channels;
    ctx.set_tensor(0, ctx.elem(0), std::move(out));
  }
  for (size_t i = 1; i < ctx.output_count(); ++i) {
    ctx.set_tensor(i, statistics, Shape{channels});
  }
  return Outcome::kDone;
}

// InstanceNormalization-1. Y like input [N, C, ...]; scale and B are [C].
//   C1  scale and B have the length C     C2  input has rank >= 2     T1  it holds floats
Outcome instance_normalization(InferContext& ctx) {
  set_like_input(ctx, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C2")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  Dim channels = x != nullptr ? (*x)[1] : Dim();
  for (const size_t i : {1U, 2U}) {
    channels =
        require_vector(ctx, i, channels, "C1", "the channels and the lengths of scale and B");
  }
  if (x == nullptr) return Outcome::kDone;
  Shape out = *x;
  out[1] = channels;
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// The axis attribute, which must be one of X's.
std::optional<size_t> read_axis(InferContext& ctx, std::string_view label) {
  const int64_t axis = ctx.attr_int("axis", -1);
  const size_t rank = ctx.shape(0)->size();
  const auto index = normalise_axis(axis, rank);
  if (!index) {
    ctx.report(Code::kAttribute, label, fmt::format("axis is {}, but X has rank {}", axis, rank));
  }
  return index;
}

// LayerNormalization-17 (in ONNX Runtime since opset 1). Y like X; Mean and InvStdDev have 1 from
// `axis` on, and the type that stash_type says.
//   C1  -r <= axis < r     C2  Scale and B broadcast to X     T1  X holds floats
Outcome layer_normalization(InferContext& ctx) {
  const ElemType statistics = elem_type(ctx.attr_int("stash_type", 1));
  set_like_input(ctx, 0, ctx.elem(0));
  for (size_t i = 1; i < ctx.output_count(); ++i) ctx.set_tensor(i, statistics);
  ctx.require_elem(0, kFloatTypes, "T1");
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  const auto axis = read_axis(ctx, "C1");
  if (!axis) return Outcome::kFailed;
  for (const size_t i : {1U, 2U}) {
    const Shape* parameter = ctx.shape(i);
    if (parameter != nullptr) require_broadcast_to(ctx, *parameter, *x, "C2", "a parameter and X");
  }
  Shape reduced = *x;
  std::fill(reduced.begin() + static_cast<ptrdiff_t>(*axis), reduced.end(), ctx.lit(1));
  for (size_t i = 1; i < ctx.output_count(); ++i) ctx.set_tensor(i, statistics, reduced);
  return Outcome::kDone;
}

// RMSNormalization-23. Y like X, of the type of scale.
//   C1  -r <= axis < r     C2  scale broadcasts to X     T1  X and scale hold floats
Outcome rms_normalization(InferContext& ctx) {
  set_like_input(ctx, 0, ctx.elem(1) != ElemType::kUndefined ? ctx.elem(1) : ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_elem(1, kFloatTypes, "T1");
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  if (!read_axis(ctx, "C1")) return Outcome::kFailed;
  if (const Shape* scale = ctx.shape(1)) {
    require_broadcast_to(ctx, *scale, *x, "C2", "scale and X");
  }
  return Outcome::kDone;
}

/// Y like X; scale and bias have one element for each group or channel.
Outcome group_normalization(InferContext& ctx, bool for_each_channel) {
  set_like_input(ctx, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C2")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  const Dim channels = x != nullptr ? (*x)[1] : Dim();
  const int64_t groups = ctx.attr_int("num_groups", 0);
  if (groups < 1 || (channels.number() && *channels.number() % groups != 0)) {
    return ctx.fail(Code::kAttribute, "C3",
                    fmt::format("num_groups is {}, which must be a positive divisor of the "
                                "channels",
                                groups));
  }
  for (const size_t i : {1U, 2U}) {
    require_vector(ctx, i, for_each_channel ? channels : ctx.lit(groups), "C1",
                   "the lengths of scale and bias");
  }
  return Outcome::kDone;
}

// GroupNormalization-18. Scale and bias are for each group.
//   C1  scale and bias have the length num_groups     C2  X has rank >= 2
//   C3  num_groups >= 1, and divides the channels     T1  X holds floats
Outcome group_normalization_of_groups(InferContext& ctx) { return group_normalization(ctx, false); }

// GroupNormalization-21. The same, with scale and bias for each channel.
Outcome group_normalization_of_channels(InferContext& ctx) {
  return group_normalization(ctx, true);
}

// LRN-1. Y like X.
//   C1  X has rank >= 2     C2  size >= 1     T1  X holds floats
Outcome lrn(InferContext& ctx) {
  set_like_input(ctx, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C1")) return Outcome::kFailed;
  if (ctx.attr_int("size", 1) < 1) {
    return ctx.fail(Code::kAttribute, "C2", "size must be at least 1");
  }
  return Outcome::kDone;
}

// MeanVarianceNormalization-9. Y like X.
//   C1  -r <= each of axes < r     T1  X holds floats
Outcome mean_variance_normalization(InferContext& ctx) {
  set_like_input(ctx, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  const auto rank = ctx.rank(0);
  const auto axes = ctx.attr_ints("axes");
  if (!rank || !axes) return Outcome::kDone;
  for (const int64_t axis : *axes) {
    if (!normalise_axis(axis, *rank)) {
      return ctx.fail(Code::kAttribute, "C1",
                      fmt::format("axes has {}, but X has rank {}", axis, *rank));
    }
  }
  return Outcome::kDone;
}

// LpNormalization-1. Y like input.
//   C1  -r <= axis < r     T1  input holds floats
Outcome lp_normalization(InferContext& ctx) {
  set_like_input(ctx, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (ctx.shape(0) != nullptr && !read_axis(ctx, "C1")) return Outcome::kFailed;
  return Outcome::kDone;
}

// Operators that ONNX Runtime's optimizer writes into the default domain have its opsets there.
constexpr auto kRules =
    std::to_array<OpRule>({{"BatchNormalization", 1, batch_normalization},
                           {"GroupNormalization", 18, group_normalization_of_groups},
                           {"GroupNormalization", 21, group_normalization_of_channels},
                           {"InstanceNormalization", 1, instance_normalization},
                           {"LRN", 1, lrn},
                           {"LayerNormalization", 1, layer_normalization},
                           {"LpNormalization", 1, lp_normalization},
                           {"MeanVarianceNormalization", 1, mean_variance_normalization},
                           {"RMSNormalization", 23, rms_normalization},
                           {"SimplifiedLayerNormalization", 1, layer_normalization}});

constexpr auto kMicrosoftRules =
    std::to_array<OpRule>({{"LayerNormalization", 1, layer_normalization},
                           {"SimplifiedLayerNormalization", 1, layer_normalization}});

}  // namespace

std::span<const Family> normalization_family() {
  static constexpr std::array kFamilies = {Family{"", kRules},
                                           Family{"com.microsoft", kMicrosoftRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
