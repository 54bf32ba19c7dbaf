// Loss functions.
#include <array>

#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// Checks scores [N, C, d1, ...], labels [N, d1, ...] and weights [C], and gives the labels' shape
/// and the scores' in their most telling form (where the ranks are known).
///   C1  one float type     C2  labels are int32 or int64     C3  scores have rank 2 or more
///   C4  labels have one axis less     C5  equal N, d1, ...     C6  weights is a vector
///   C7  a weight for each class     C8  reduction is none, sum or mean
struct LossShapes {
  std::optional<Shape> scores;
  std::optional<Shape> labels;
};

bool check_types(InferContext& ctx) {
  return ctx.require_elem(0, kFloatTypes, "C1") && ctx.require_elem(1, kIndexTypes, "C2") &&
         ctx.require_same_elem(0, 2, "C1") && ctx.require_rank(0, 2, SIZE_MAX, "C3") &&
         ctx.require_rank(1, 1, SIZE_MAX, "C4") && ctx.require_rank(2, 1, "C6");
}

std::optional<LossShapes> loss_shapes(InferContext& ctx) {
  if (!check_types(ctx)) return std::nullopt;
  LossShapes shapes{ctx.input(0).shape, ctx.input(1).shape};
  auto& [scores, labels] = shapes;
  if (scores && labels && labels->size() + 1 != scores->size()) {
    ctx.report(Code::kInputRank, "C4", "labels must have one axis less than scores");
    return std::nullopt;
  }
  if (!labels && scores) labels.emplace(scores->size() - 1);
  if (!scores && labels) scores.emplace(labels->size() + 1);
  if (!scores) return shapes;
  for (size_t i = 0; i < labels->size(); ++i) {
    Dim& score = (*scores)[i == 0 ? 0 : i + 1];
    score = ctx.require_equal(score, (*labels)[i], "C5", "the dims of scores and labels");
    (*labels)[i] = score;
  }
  if (const Shape* weights = ctx.shape(2)) {
    (*scores)[1] = ctx.require_equal((*scores)[1], Dim(weights->front()), "C7",
                                     "the number of classes and that of weights");
  }
  return shapes;
}

/// Sets the loss: one number a label, or one in all.
Outcome set_loss(InferContext& ctx, const LossShapes& shapes) {
  const std::string_view reduction = ctx.attr_string("reduction", "mean");
  if (reduction == "none") {
    ctx.set_tensor(0, ctx.elem(0), shapes.labels);
  } else if (reduction == "sum" || reduction == "mean") {
    ctx.set_tensor(0, ctx.elem(0), Shape());
  } else {
    return ctx.fail(Code::kAttribute, "C8", "reduction is none of none, sum, mean");
  }
  return Outcome::kDone;
}

/// NegativeLogLikelihoodLoss; the constraints are those of loss_shapes().
Outcome negative_log_likelihood(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const auto shapes = loss_shapes(ctx);
  return shapes ? set_loss(ctx, *shapes) : Outcome::kFailed;
}

/// SoftmaxCrossEntropyLoss: the loss and the logarithms of the probabilities, which have the shape
/// of the scores.
Outcome softmax_cross_entropy(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(1, ctx.elem(0), ctx.input(0).shape);
  const auto shapes = loss_shapes(ctx);
  if (!shapes) return Outcome::kFailed;
  ctx.set_tensor(1, ctx.elem(0), shapes->scores);
  return set_loss(ctx, *shapes);
}

constexpr auto kRules = std::to_array<OpRule>({
    {"NegativeLogLikelihoodLoss", 12, negative_log_likelihood},
    {"SoftmaxCrossEntropyLoss", 12, softmax_cross_entropy},
});

}  // namespace

std::span<const Family> loss_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
