// What the model needs of its inputs' sizes without saying so.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "check/check.h"
#include "check/names.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

class ImpliedEqualities {
 public:
  ImpliedEqualities(const Model& model, const Inference& inference, Findings& findings)
      : model_(model),
        inference_(inference),
        findings_(findings),
        universal_(universal_symbols(inference)),
        nothing_known_(*inference.symbols) {}

  void report();

 private:
  [[nodiscard]] bool over_inputs(Dim dim) const;
  void report(Dim a, Dim b, const Origin& origin);

  const Model& model_;
  const Inference& inference_;
  Findings& findings_;
  std::unordered_set<SymbolId> universal_;
  ConstraintSet nothing_known_;
};

bool ImpliedEqualities::over_inputs(Dim dim) const {
  bool all = dim.known();
  if (all) for_each_symbol(dim, [&](SymbolId id) { all = all && universal_.contains(id); });
  return all;
}

void ImpliedEqualities::report(Dim a, Dim b, const Origin& origin) {
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

void ImpliedEqualities::report() {
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

}  // namespace

void report_implied_equalities(const Model& model, const Inference& inference, Findings& findings) {
  ImpliedEqualities(model, inference, findings).report();
}

}  // namespace onnx_shapes
