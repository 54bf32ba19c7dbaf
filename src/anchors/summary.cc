#include "anchors/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "anchors/awaited.h"

namespace onnx_shapes {
namespace {

bool repeats(const Node& node) {
  return node.domain.empty() &&
         (node.op_type == "Loop" || node.op_type == "Scan" || node.op_type == "SequenceMap");
}

class Summariser {
 public:
  Summariser(const Model& model, const Inference& inference)
      : model_(model), inference_(inference), namer_(inference), bounds_(inference) {}

  Summary run() {
    for (ValueId id = 0; id < model_.value_count(); ++id) visit(id);
    add_equalities();
    add_names();
    return std::move(summary_);
  }

 private:
  void visit(ValueId id) {
    const std::optional<Fact>& fact = inference_.facts[id];
    if (model_.scope(model_.value(id).scope).container == kNoId || !fact) return;
    if (inference_.adopted.contains(id)) summary_.declared.push_back(id);
    const Fact* level = &*fact;
    for (;; level = level->element.get()) {
      if (level->length.known()) use(level->length);
      if (!level->element) break;
    }
    if (level->is_tensor() && !level->shape) add_rankless(id);
    if (!level->shape) return;
    for (uint32_t axis = 0; axis < level->shape->size(); ++axis) {
      const Dim dim = (*level->shape)[axis];
      if (dim.known()) {
        use(dim);
      } else {
        NamelessSummary item;
        item.value = id;
        item.axis = axis;
        item.varies_in = varying_scope(model_, id);
        summary_.nameless.push_back(std::move(item));
      }
    }
  }

  void add_rankless(ValueId id) {
    NamelessSummary item;
    item.value = id;
    const NodeId producer = model_.value(id).producer;
    if (producer != kNoId) {
      item.data = awaited_by(model_, inference_, producer);
      item.inputs = data_inputs(model_, item.data);
    }
    summary_.nameless.push_back(std::move(item));
  }

  /// Many values have the same dims.
  void use(Dim dim) {
    if (!used_dims_.insert(dim.expr()).second) return;
    for_each_symbol(namer_(dim), [&](SymbolId symbol) { names_.try_emplace(symbol); });
  }

  void add_equalities() {
    const auto equalities = inference_.constraints->equalities();
    for (uint32_t i = 0; i < equalities.size(); ++i) {
      const Equality& equality = equalities[i];
      summary_.equalities.push_back(i);
      if (equality.holds == Holds::kUnderAnchor) {
        summary_.trusted.push_back(i);
      } else if (is_exact(inference_, equality.a) && is_exact(inference_, equality.b)) {
        summary_.needs.push_back(i);
      }
    }
  }

  void add_names() {
    for (const Solution& solution : inference_.constraints->solutions()) {
      const std::optional<SymbolId> same = as_symbol(solution.value);
      const auto name = same ? names_.find(*same) : names_.end();
      if (name == names_.end()) continue;
      name->second.aliases.push_back(inference_.symbols->name(solution.symbol));
      add_data(name->second, solution.symbol);
    }
    for (const Equality& equality : inference_.constraints->equalities()) {
      add_compound(equality.a, equality.b);
      add_compound(equality.b, equality.a);
    }
    for (auto& [symbol, name] : names_) {
      name.symbol = symbol;
      name.range = inference_.pool->symbol_range(symbol);
      add_data(name, symbol);
      const Dim dim = inference_.pool->symbol(symbol);
      if (!is_exact(inference_, dim)) name.bounds = bounds_.of(dim);
      summary_.names.push_back(std::move(name));
    }
  }

  void add_compound(Dim side, Dim compound) {
    const std::optional<SymbolId> symbol = as_symbol(side);
    if (!symbol || as_symbol(compound) || !is_exact(inference_, compound)) return;
    const auto name = names_.find(*symbol);
    if (name != names_.end()) name->second.equals.push_back(compound);
  }

  /// The data that a symbol waits for, also under the name that an annotation has given it.
  void add_data(NameSummary& name, SymbolId symbol) {
    if (!name.data.empty()) return;
    const Origin& origin = inference_.symbols->info(symbol).origin;
    if (origin.kind == Origin::Kind::kContents) {
      name.data = {origin.value};
    } else if (origin.kind == Origin::Kind::kNode) {
      name.data = awaited_by(model_, inference_, origin.node);
    } else {
      return;
    }
    name.inputs = data_inputs(model_, name.data);
  }

  const Model& model_;
  const Inference& inference_;
  Namer namer_;
  Bounds bounds_;
  Summary summary_;
  std::set<const Expr*> used_dims_;
  std::map<SymbolId, NameSummary> names_;
};

}  // namespace

ScopeId varying_scope(const Model& model, ValueId id) {
  const Value& value = model.value(id);
  ScopeId function = kNoId;
  for (ScopeId at = value.scope; at != kNoId; at = model.scope(at).parent) {
    const Scope& scope = model.scope(at);
    if (scope.owner != kNoId && repeats(model.node(scope.owner))) return at;
    if (scope.kind == Scope::Kind::kFunction) function = at;
  }
  if (function != kNoId || value.producer == kNoId) return function;
  const Node& producer = model.node(value.producer);
  const Attribute* body = repeats(producer) ? producer.attribute("body") : nullptr;
  return body == nullptr || body->graphs.empty() ? kNoId : body->graphs.front();
}

Summary summarise(const Model& model, const Inference& inference) {
  return Summariser(model, inference).run();
}

}  // namespace onnx_shapes
