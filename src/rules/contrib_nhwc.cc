// Operators with the channels last, in the domain that ONNX Runtime's layout transformer writes for
// devices that want them so. They are those of ONNX and of com.microsoft, of the same version, but
// for input 0 and output 0, which are [N, ..., C].
#include <array>

#include "rules/contrib_shapes.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// The fact with its shape in the other layout; of unknown rank where that is not known.
Fact moved(const Fact& fact, bool to_second) {
  const Shape* shape = fact.shape ? &*fact.shape : nullptr;
  return Fact::tensor(fact.elem, channels_moved(shape, to_second));
}

/// Runs the rule of that operator on input 0 with the channels second, and moves those of output 0
/// back. Of other outputs that have the layout of output 0 only the rank is known: the schema says
/// nothing of them.
Outcome with_channels_second(InferContext& ctx, const OpRule& rule) {
  ctx.read_as(0, moved(ctx.input(0), true));
  const Outcome outcome = rule.infer(ctx);
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const Fact& output = ctx.output(i);
    if (i == 0) {
      ctx.set(0, moved(output, false));
    } else if (output.shape && output.shape->size() >= 3) {
      ctx.set_tensor(i, output.elem, Shape(output.shape->size()));
    }
  }
  return outcome;
}

/// The rule of the operator that this node is in another layout; of its first form if the domain's
/// version is older than that.
const OpRule& rule_of(const InferContext& ctx, std::string_view domain) {
  const std::string_view op = ctx.node().op_type;
  const OpRule* rule = default_rules().find(domain, op, ctx.opset());
  return rule != nullptr ? *rule : *default_rules().find(domain, op, INT32_MAX);
}

// The operators of ONNX.
//   C0  input 0 has rank >= 3, and the constraints of the operator with the channels second
Outcome standard(InferContext& ctx) {
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C0")) {
    ctx.set_tensor(0, ctx.elem(0));
    return Outcome::kFailed;
  }
  return with_channels_second(ctx, rule_of(ctx, ""));
}

// QLinearAveragePool-1. As that of com.microsoft, whose channels_last says the same.
Outcome qlinear_average_pool(InferContext& ctx) {
  const OpRule& rule = rule_of(ctx, "com.microsoft");
  const bool known_there = ctx.attr_int("channels_last", 0) != 0;
  return known_there ? rule.infer(ctx) : with_channels_second(ctx, rule);
}

// QLinearConvTranspose-1: x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale,
// y_zero_point, B. As ConvTranspose; y has the type of y_zero_point.
Outcome qlinear_conv_transpose(InferContext& ctx) {
  Fact x = ctx.input(0);
  Fact w = ctx.input(3);
  Fact bias = ctx.input(8);
  for (Fact* fact : {&x, &w, &bias}) fact->elem = ElemType::kUndefined;  // not those of floats
  ctx.read_as(0, moved(x, true));
  ctx.read_as(1, std::move(w));
  ctx.read_as(2, std::move(bias));
  const Outcome outcome = default_rules().find("", "ConvTranspose", 1)->infer(ctx);
  Fact out = moved(ctx.output(0), false);
  out.elem = ctx.elem(7);
  ctx.set(0, std::move(out));
  return outcome;
}

// Resize-11 and later. Scales and sizes are in the order of X's axes, so the layout makes no
// difference, unless attribute axes tells them apart.
Outcome resize(InferContext& ctx) {
  if (ctx.attr_ints("axes")) {
    const auto rank = ctx.rank(0);
    ctx.set_tensor(0, ctx.elem(0), rank ? std::optional(Shape(*rank)) : std::nullopt);
    return Outcome::kDone;
  }
  return rule_of(ctx, "").infer(ctx);
}

constexpr auto kRules = std::to_array<OpRule>({{"AveragePool", 1, standard},
                                               {"BatchNormalization", 1, standard},
                                               {"Conv", 1, standard},
                                               {"ConvTranspose", 1, standard},
                                               {"DepthToSpace", 1, standard},
                                               {"GlobalAveragePool", 1, standard},
                                               {"GlobalLpPool", 1, standard},
                                               {"GlobalMaxPool", 1, standard},
                                               {"GridSample", 1, standard},
                                               {"InstanceNormalization", 1, standard},
                                               {"LRN", 1, standard},
                                               {"LpPool", 1, standard},
                                               {"MaxPool", 1, standard},
                                               {"MaxUnpool", 1, standard},
                                               {"QLinearAveragePool", 1, qlinear_average_pool},
                                               {"QLinearConv", 1, standard},
                                               {"QLinearConvTranspose", 1, qlinear_conv_transpose},
                                               {"Resize", 10, resize},
                                               {"SpaceToDepth", 1, standard}});

}  // namespace

std::span<const Family> contrib_nhwc_family() {
  static constexpr std::array kFamilies = {Family{"com.ms.internal.nhwc", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
