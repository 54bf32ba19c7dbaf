#include "rules/fixed_point.h"

namespace onnx_shapes {
namespace {

/// From this pass on a carried value that still changes loses all but its kind and type, and in the
/// pass after that everything.
constexpr int kLastJoin = 3;

/// The fact without what was forgotten in an earlier fixed point of the same node.
Fact as_wide_as(const Fact& fact, const Fact& earlier) {
  if (fact.kind != earlier.kind) return Fact::unknown();
  Fact wide = fact;
  if (!earlier.shape) wide.shape.reset();
  if (wide.shape && wide.shape->size() != earlier.shape->size()) wide.shape.reset();
  if (wide.shape) {
    for (size_t i = 0; i < wide.shape->size(); ++i) {
      if (!(*earlier.shape)[i].known()) (*wide.shape)[i] = Dim();
    }
  }
  if (!wide.shape || !earlier.elements) wide.elements = nullptr;
  if (wide.elements && earlier.elements->size() == wide.elements->size()) {
    auto kept = std::make_shared<Elements>(*wide.elements);
    for (size_t i = 0; i < kept->size(); ++i) {
      if (!(*earlier.elements)[i].known()) (*kept)[i] = Scalar();
    }
    wide.elements = std::move(kept);
  }
  if (!earlier.length.known()) wide.length = Dim();
  return wide;
}

Fact widened(const Fact& assumed, const Fact& after, int pass) {
  Fact joined = join(assumed, after);
  if (pass > kLastJoin) return Fact::unknown();
  if (pass == kLastJoin) {
    joined.shape.reset();
    joined.elements = nullptr;
    if (joined.element) joined.element = nullptr;
  }
  return joined;
}

}  // namespace

void align(InferContext& ctx, std::span<Fact> facts, const Requirements& requirements,
           std::span<const Fact> others) {
  std::vector<std::pair<Dim, Dim>> pairs;
  std::vector<Dim*> places;
  for (size_t i = 0; i < facts.size(); ++i) {
    std::optional<Shape>& shape = facts[i].shape;
    const std::optional<Shape>& other = others[i].shape;
    if (!shape || !other || shape->size() != other->size()) continue;
    for (size_t axis = 0; axis < shape->size(); ++axis) {
      Dim& dim = (*shape)[axis];
      const Dim other_dim = (*other)[axis];
      if (dim == other_dim || !dim.known() || !other_dim.known()) continue;
      pairs.emplace_back(dim, other_dim);
      places.push_back(&dim);
    }
  }
  if (pairs.empty()) return;
  const std::vector<bool> equal = ctx.equal_where(requirements, pairs);
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (equal[i]) *places[i] = pairs[i].second;
  }
}

FixedPoint find_fixed_point(InferContext& ctx, const RepeatedBody& body,
                            const std::vector<Fact>& initial) {
  FixedPoint point;
  std::vector<Fact>& last = ctx.last_fixed_point();
  point.carried = initial;
  if (last.size() == initial.size()) {
    for (size_t i = 0; i < initial.size(); ++i) {
      point.carried[i] = as_wide_as(initial[i], last[i]);
    }
  }
  for (int pass = 1;; ++pass) {
    std::vector<Fact> inputs = body.before;
    inputs.insert(inputs.end(), point.carried.begin(), point.carried.end());
    inputs.insert(inputs.end(), body.after.begin(), body.after.end());
    const InferContext::Mark mark = ctx.mark();
    Requirements requirements;
    point.outputs = ctx.infer_body(body.scope, inputs, true, body.runs, &requirements);
    align(ctx, std::span(point.outputs).subspan(body.skip, initial.size()), requirements,
          point.carried);
    bool holds = true;
    std::vector<Fact> next = point.carried;
    for (size_t i = 0; i < initial.size(); ++i) {
      const Fact& after = point.outputs[body.skip + i];
      if (join(point.carried[i], after) == point.carried[i]) continue;
      holds = false;
      next[i] = widened(point.carried[i], after, pass);
    }
    if (holds) break;
    ctx.roll_back(mark);
    point.carried = std::move(next);
  }
  last = point.carried;
  return point;
}

}  // namespace onnx_shapes
