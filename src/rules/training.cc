// Domain ai.onnx.preview.training: optimisers, and Gradient.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kRateTypes = {ElemType::kFloat, ElemType::kDouble};
constexpr std::array kInt64 = {ElemType::kInt64};

/// The inputs of optimisers: the learning rate, the update count, and then kGroups groups of n
/// tensors: what is optimised, the gradients, and what is accumulated. The outputs are the new
/// values of the first group and of those from the third on. Tensor i has one shape in all groups.
///   C1  a float or double rate, an int64 count     C2  both are scalars
///   C3  the number of tensors is a multiple of kGroups
///   C4  equal types     C5  equal ranks     C6  equal dims
template <size_t kGroups>
Outcome optimiser(InferContext& ctx) {
  if (!ctx.require_elem(0, kRateTypes, "C1") || !ctx.require_elem(1, kInt64, "C1") ||
      !ctx.require_rank(0, 0, "C2") || !ctx.require_rank(1, 0, "C2")) {
    return Outcome::kFailed;
  }
  const size_t count = ctx.input_count() - std::min<size_t>(ctx.input_count(), 2);
  if (count == 0 || count % kGroups != 0) {
    return ctx.fail(Code::kInputCount, "C3",
                    fmt::format("{} tensors are not {} groups of one size", count, kGroups));
  }
  const size_t group = count / kGroups;
  for (size_t i = 0; i < group; ++i) {
    std::optional<Shape> shape = ctx.input(2 + i).shape;
    for (size_t other = 2 + i + group; other < ctx.input_count(); other += group) {
      if (!ctx.require_same_elem(2 + i, other, "C4")) return Outcome::kFailed;
      const std::optional<Shape> next = ctx.input(other).shape;
      if (!next) continue;
      if (!shape) shape.emplace(next->size());
      if (!ctx.require_rank(other, shape->size(), "C5")) return Outcome::kFailed;
      for (size_t axis = 0; axis < shape->size(); ++axis) {
        (*shape)[axis] = ctx.require_equal((*shape)[axis], (*next)[axis], "C6",
                                           "the dims of a tensor and what belongs to it");
      }
    }
    for (size_t output = 0; output + 1 < kGroups; ++output) {
      ctx.set_tensor(output * group + i, ctx.elem(2 + i), shape);
    }
  }
  return Outcome::kDone;
}

/// Gradient: the i-th output is the gradient by the i-th tensor of attribute xs, which is the i-th
/// input and has its shape.
///   C1  there are as many inputs as names in xs and zs     C2  there are no more outputs than
///   names in xs
Outcome gradient(InferContext& ctx) {
  const auto names = [&](std::string_view attribute) -> size_t {
    const Attribute* list = ctx.attribute(attribute);
    return list != nullptr ? list->strings.size() : 0;
  };
  const size_t xs = names("xs");
  for (size_t i = 0; i < xs; ++i) ctx.set_tensor(i, ctx.elem(i), ctx.input(i).shape);
  if (ctx.input_count() != xs + names("zs")) {
    return ctx.fail(Code::kInputCount, "C1", "xs and zs do not name the inputs one by one");
  }
  if (ctx.output_count() > xs) {
    return ctx.fail(Code::kOutputCount, "C2", "there are more outputs than names in xs");
  }
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Adagrad", 1, optimiser<3>},
    {"Adam", 1, optimiser<4>},
    {"Gradient", 1, gradient},
    {"Momentum", 1, optimiser<3>},
});

}  // namespace

std::span<const Family> training_family() {
  static constexpr std::array kFamilies = {Family{"ai.onnx.preview.training", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
