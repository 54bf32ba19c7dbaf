// What the model needs of its inputs' sizes without saying so.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "check/check.h"
#include "check/names.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

/// Searches for sizes that break a bound may end without any: so many of them, and no more is told.
constexpr size_t kMaxInVain = 8;

class Implied {
 public:
  Implied(const Model& model, const Inference& inference, Findings& findings)
      : model_(model),
        inference_(inference),
        findings_(findings),
        universal_(universal_symbols(inference)),
        nothing_known_(*inference.symbols) {}

  void report_equalities();
  void report_bounds();

 private:
  [[nodiscard]] bool over_inputs(Dim dim) const;
  void report(Dim a, Dim b, const Origin& origin);
  void report(const UpperBound& bound, const Binding& example);

  const Model& model_;
  const Inference& inference_;
  Findings& findings_;
  std::unordered_set<SymbolId> universal_;
  ConstraintSet nothing_known_;
};

bool Implied::over_inputs(Dim dim) const {
  bool all = dim.known();
  if (all) for_each_symbol(dim, [&](SymbolId id) { all = all && universal_.contains(id); });
  return all;
}

void Implied::report(Dim a, Dim b, const Origin& origin) {
  if (origin.kind != Origin::Kind::kNode || !over_inputs(a) || !over_inputs(b)) return;
  const std::optional<Binding> example =
      smallest_counterexample(inference_, nothing_known_, {Claim::Kind::kEqual, a, b}, universal_);
  if (!example) return;
  findings_.add(make_finding(
      Code::kImpliedEquality, model_.place_of_node(origin.node),
      fmt::format("{} '{}' needs {} == {}, but the inputs' annotations do not say so; {} fails",
                  model_.node(origin.node).op_type, model_.node_label(origin.node), to_text(a),
                  to_text(b), sizes_text(input_sizes(inference_, *example, universal_))),
      "give both dims one name, or write the size that the model needs"));
}

void Implied::report_equalities() {
  const std::span<const Equality> equalities = inference_.constraints->equalities();
  std::vector<bool> told(equalities.size());
  for (const Solution& solution : inference_.constraints->solutions()) {
    const Dim symbol = inference_.pool->symbol(solution.symbol);
    if (!over_inputs(symbol) || !over_inputs(solution.value) || solution.from.empty()) continue;
    for (const uint32_t index : solution.from) told[index] = true;
    report(symbol, solution.value, equalities[solution.from.back()].origin);
  }
  for (size_t i = 0; i < equalities.size(); ++i) {
    const Equality& equality = equalities[i];
    if (told[i] || equality.holds != Holds::kEveryRun) continue;
    report(equality.a, equality.b, equality.origin);
  }
}

/// `N >= 6`, `k <= N`
std::string text_of(const UpperBound& bound) {
  const std::optional<int64_t> least = bound.lhs.number();
  if (!least) return fmt::format("{} <= {}", to_text(bound.lhs), to_text(bound.rhs));
  const std::span<const Term> terms = bound.rhs.expr()->terms;
  const auto constant = std::find_if(
      terms.begin(), terms.end(), [](const Term& term) { return term.monomial->factors.empty(); });
  if (constant == terms.end()) return fmt::format("{} >= {}", to_text(bound.rhs), *least);
  const Dim rest = bound.rhs - constant->coefficient;
  const Dim moved = bound.lhs - constant->coefficient;
  if (!rest.known() || !moved.known()) {
    return fmt::format("{} >= {}", to_text(bound.rhs), *least);
  }
  return fmt::format("{} >= {}", to_text(rest), to_text(moved));
}

void Implied::report(const UpperBound& bound, const Binding& example) {
  const Node& node = model_.node(bound.origin.node);
  findings_.add(make_finding(
      Code::kImpliedBound, model_.place_of_node(bound.origin.node),
      fmt::format("{} '{}' needs {}, but the inputs' annotations do not say so; {} fails",
                  node.op_type, model_.node_label(bound.origin.node), text_of(bound),
                  sizes_text(input_sizes(inference_, example, universal_)))));
}

/// Of a chain of windows the last says the most, so it is asked first, and what follows from it is
/// not told. Neither is what holds for all sizes from 1 on: it goes without saying.
void Implied::report_bounds() {
  ConstraintSet told(*inference_.symbols);
  for (const Equality& equality : inference_.constraints->equalities()) {
    if (equality.holds != Holds::kEveryRun) continue;
    if (!over_inputs(equality.a) || !over_inputs(equality.b)) continue;
    (void)told.add_equal(equality.a, equality.b, {});
  }
  for (const SymbolId id : universal_) {
    told.add_at_most(inference_.pool->constant(1), inference_.pool->symbol(id), {});
  }
  Prover prover(*inference_.pool, &told);
  std::vector<std::pair<UpperBound, Binding>> found;
  size_t in_vain = 0;
  const std::span<const UpperBound> bounds = inference_.constraints->upper_bounds();
  for (size_t i = bounds.size(); i-- > 0 && in_vain < kMaxInVain;) {
    UpperBound bound = bounds[i];
    bound.lhs = inference_.constraints->resolve(bound.lhs);
    bound.rhs = inference_.constraints->resolve(bound.rhs);
    if (bound.holds != Holds::kEveryRun || bound.origin.kind != Origin::Kind::kNode) continue;
    if (!over_inputs(bound.lhs) || !over_inputs(bound.rhs)) continue;
    if (prover.at_most(bound.lhs, bound.rhs) == Truth::kTrue) continue;
    std::optional<Binding> example = find_counterexample(
        *inference_.symbols, told, {Claim::Kind::kAtMost, bound.lhs, bound.rhs}, universal_);
    told.add_at_most(bound.lhs, bound.rhs, {});
    if (!example) {
      ++in_vain;
      continue;
    }
    found.emplace_back(bound, std::move(*example));
  }
  std::reverse(found.begin(), found.end());
  for (const auto& [bound, example] : found) report(bound, example);
}

}  // namespace

void report_implied(const Model& model, const Inference& inference, Findings& findings) {
  Implied implied(model, inference, findings);
  implied.report_equalities();
  implied.report_bounds();
}

}  // namespace onnx_shapes
