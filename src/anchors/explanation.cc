#include "anchors/explanation.h"

#include <algorithm>
#include <set>

#include "anchors/awaited.h"
#include "anchors/summary.h"
#include "expr/text.h"

namespace onnx_shapes {
namespace {

bool is_standard(const Node& node, std::string_view op) {
  return node.domain.empty() && node.op_type == op;
}

bool any_mentions(const std::vector<Dim>& dims, SymbolId symbol) {
  return std::any_of(dims.begin(), dims.end(),
                     [&](Dim dim) { return dim.known() && mentions(dim, symbol); });
}

/// Where the number of a body's formal input comes from, of a Loop, Scan or SequenceMap.
struct Handing {
  size_t input = 0;                  // of the operator
  uint32_t axes_before = 0;          // axis i of the formal is axis i + 1 of the input from here on
  uint32_t axes_dropped = 0;         // how many axes of the input the formal lacks
  std::optional<size_t> carry = {};  // the output of the body that is the formal's next value
};

std::optional<Handing> handing(const Model& model, const Scope& body, size_t formal) {
  const Node& node = model.node(body.owner);
  if (is_standard(node, "Loop")) {
    if (formal < 2) return std::nullopt;
    return Handing{.input = formal, .carry = formal - 1};
  }
  if (is_standard(node, "SequenceMap")) return Handing{.input = formal};
  if (!is_standard(node, "Scan")) return std::nullopt;
  const bool batched = model.opset(node.scope, "").value_or(9) < 9;
  const Attribute* scanned = node.attribute("num_scan_inputs");
  const size_t count = scanned == nullptr ? 0 : static_cast<size_t>(scanned->int_value);
  if (count > body.inputs.size()) return std::nullopt;
  const size_t states = body.inputs.size() - count;
  Handing result{.input = formal + (batched ? 1 : 0)};
  if (formal < states) {
    result.carry = formal;
    result.axes_dropped = batched ? 1 : 0;
    return result;
  }
  result.axes_dropped = batched ? 2 : 1;
  const Attribute* axes = node.attribute("scan_input_axes");
  if (!batched && axes != nullptr && formal - states < axes->ints.size()) {
    const int64_t axis = axes->ints[formal - states];
    // Counted from the end it depends on the rank; then no axis is named.
    if (axis < 0) return std::nullopt;
    result.axes_before = static_cast<uint32_t>(axis);
  }
  return result;
}

}  // namespace

Explainer::Explainer(const Model& model, const Inference& inference, Probe& probe)
    : model_(model), inference_(inference), probe_(probe), namer_(inference), bounds_(inference) {
  for (Solution& solution : inference.constraints->solutions()) {
    const SymbolId symbol = solution.symbol;
    solutions_.emplace(symbol, std::move(solution));
  }
  for (SymbolId id = 0; id < inference.symbols->size(); ++id) {
    const Origin& origin = inference.symbols->info(id).origin;
    if (origin.kind == Origin::Kind::kContents) {
      contents_.emplace(std::pair(origin.value, origin.axis), id);
    }
  }
}

Dim Explainer::known(Part part) const {
  const std::optional<Fact>& fact = inference_.facts[part.value];
  Dim dim = fact ? dim_of(*fact, part) : Dim();
  if (!dim.known() && part.kind == Part::Kind::kElement) {
    const auto symbol = contents_.find({part.value, static_cast<int32_t>(part.index)});
    dim =
        symbol == contents_.end() ? probe_.constant(part) : inference_.pool->symbol(symbol->second);
  }
  return dim.known() ? inference_.constraints->resolve(dim) : dim;
}

Dim Explainer::named(Part part) { return namer_(known(part)); }

/// Follows the number to where it changes.
void Explainer::follow(Step& step) {
  Part at = step.part;
  for (;;) {
    const NodeId producer = model_.value(at.value).producer;
    if (producer == kNoId) break;
    const Sources sources = probe_.sources(at);
    if (!sources.unchanged) {
      if (!step.nodes.empty()) break;
      step.kind = Step::Kind::kNode;
      step.nodes = {producer};
      step.sources = sources.parts;
      return;
    }
    step.nodes.push_back(producer);
    at = sources.parts.front();
  }
  if (!step.nodes.empty()) {
    step.kind = Step::Kind::kUnchanged;
    step.sources = {at};
    return;
  }
  const Value& value = model_.value(at.value);
  const bool of_body = value.scope_input && model_.scope(value.scope).owner != kNoId;
  step.kind = value.initializer != kNoId ? Step::Kind::kConstant
              : of_body                  ? Step::Kind::kBodyInput
                                         : Step::Kind::kInput;
  if (of_body) link_body_input(step);
}

void Explainer::link_body_input(Step& step) const {
  const Scope& body = model_.scope(model_.value(step.part.value).scope);
  step.nodes = {body.owner};
  const auto place = std::find(body.inputs.begin(), body.inputs.end(), step.part.value);
  const auto hands_in = handing(model_, body, static_cast<size_t>(place - body.inputs.begin()));
  if (!hands_in) return;
  const std::span<const ValueId> inputs = model_.node(body.owner).inputs;
  if (hands_in->input < inputs.size() && inputs[hands_in->input] != kNoId) {
    Part from = {inputs[hands_in->input], step.part.kind, step.part.index};
    if (from.kind == Part::Kind::kDim && from.index >= hands_in->axes_before) {
      from.index += hands_in->axes_dropped;
    }
    step.sources.push_back(from);
  }
  if (hands_in->carry && body.outputs[*hands_in->carry] != kNoId) {
    step.sources.push_back({body.outputs[*hands_in->carry], step.part.kind, step.part.index});
  }
}

/// Why the number has no name.
void Explainer::add_nameless(Step& step) const {
  Reason reason{.kind = Reason::Kind::kNameless};
  reason.body = varying_scope(model_, step.part.value);
  step.reasons.push_back(std::move(reason));
}

/// Whether a node lies inside of another: in a body of it, or in the function that it calls.
bool Explainer::is_part_of(NodeId inner, NodeId outer) const {
  if (inner == outer) return true;
  ScopeId scope = model_.node(inner).scope;
  for (; model_.scope(scope).parent != kNoId; scope = model_.scope(scope).parent) {
    if (model_.scope(scope).owner == outer) return true;
  }
  const Node& call = model_.node(outer);
  return model_.function(call.domain, call.op_type, call.overload) == scope;
}

/// Symbols that begin here: those that the step's number has and its sources do not, and those that
/// were made here and have got another name since.
void Explainer::add_made(Step& step) {
  const Dim number = known(step.part);
  if (!number.known()) return;
  std::vector<Dim> before;
  for (const Part& source : step.sources) before.push_back(known(source));
  const auto made = [&](SymbolId id, std::vector<ValueId> data) {
    Reason reason{.kind = Reason::Kind::kMade, .dim = inference_.pool->symbol(id)};
    reason.inputs = data_inputs(model_, data);
    reason.data = std::move(data);
    step.reasons.push_back(std::move(reason));
  };
  for_each_symbol(number, [&](SymbolId id) {
    const SymbolInfo& info = inference_.symbols->info(id);
    if (any_mentions(before, id)) return;
    if (info.origin.kind == Origin::Kind::kContents) made(id, {info.origin.value});
    if (info.origin.kind == Origin::Kind::kNode) {
      made(id, awaited_by(model_, inference_, info.origin.node));
    }
  });
  // Where contents are not known, how many there are says nothing of them.
  for (const Reason& reason : step.reasons) {
    std::erase_if(step.sources, [&](Part source) {
      return reason.kind == Reason::Kind::kMade && source.kind == Part::Kind::kDim &&
             std::find(reason.data.begin(), reason.data.end(), source.value) != reason.data.end();
    });
  }
  if (step.kind != Step::Kind::kNode) return;
  for (const auto& [id, solution] : solutions_) {
    const Origin& origin = inference_.symbols->info(id).origin;
    if (origin.kind != Origin::Kind::kNode || !is_part_of(origin.node, step.nodes.front())) {
      continue;
    }
    bool related = solution.value == number;
    for_each_symbol(solution.value, [&](SymbolId symbol) {
      related = related || (mentions(number, symbol) && !any_mentions(before, symbol));
    });
    if (!related) continue;
    made(id, awaited_by(model_, inference_, origin.node));
    add_reading(step, {inference_.pool->symbol(id)}, namer_(solution.value));
  }
}

/// Names the equalities by which `before` is written with the symbols of `after`.
void Explainer::add_reading(Step& step, const std::vector<Dim>& before, Dim after) const {
  std::set<uint32_t> equalities;
  const auto add = [&](const Solution& solution) {
    equalities.insert(solution.from.begin(), solution.from.end());
  };
  const auto in_before = [&](SymbolId symbol) { return any_mentions(before, symbol); };
  for (const auto& [symbol, solution] : solutions_) {
    bool replaced = in_before(symbol);
    bool new_name = mentions(after, symbol) && !replaced;
    for_each_symbol(solution.value,
                    [&](SymbolId other) { replaced = replaced || (new_name && in_before(other)); });
    for_each_symbol(solution.value, [&](SymbolId other) {
      new_name = new_name || (mentions(after, other) && !in_before(other));
    });
    if (replaced && (new_name || solution.value.number())) add(solution);
  }
  if (equalities.empty()) return;
  Reason reason{.kind = Reason::Kind::kReads};
  reason.equalities.assign(equalities.begin(), equalities.end());
  step.reasons.push_back(std::move(reason));
}

/// What the author wrote for the number, where that reads otherwise, and what stood in for it.
void Explainer::add_declared(Step& step) {
  const Value& value = model_.value(step.part.value);
  if (inference_.adopted.contains(step.part.value)) {
    step.reasons.push_back({.kind = Reason::Kind::kStandsIn});
  }
  if (step.part.kind != Part::Kind::kDim) return;
  for (const uint32_t annotation :
       {value.input_annotation, value.output_annotation, value.value_info}) {
    if (annotation == kNoId) continue;
    const DeclaredType* type = &model_.annotations()[annotation].type;
    while (type->element) type = type->element.get();
    if (step.part.index >= type->dims.size()) continue;
    const DeclaredDim& declared = type->dims[step.part.index];
    const Dim meant = inference_.declarations->dim(declared);
    if (!meant.known()) {
      if (annotation == value.input_annotation && step.kind == Step::Kind::kInput) {
        step.reasons.push_back({.kind = Reason::Kind::kUnnamed, .dim = step.dim});
      }
      continue;
    }
    if (meant == step.dim) continue;
    if (annotation == value.input_annotation) {
      if (step.dim.known()) add_reading(step, {meant}, step.dim);
    } else if (namer_(meant) != step.dim || as_symbol(meant)) {
      step.reasons.push_back({.kind = Reason::Kind::kDeclared, .annotation = annotation});
    }
  }
}

Step Explainer::step(Part part) {
  Step step{.part = part};
  follow(step);
  const Dim number = known(part);
  step.dim = namer_(number);
  if (!number.known()) add_nameless(step);
  add_made(step);
  if (step.kind == Step::Kind::kNode && step.dim.known()) {
    std::vector<Dim> before;
    for (const Part& source : step.sources) before.push_back(named(source));
    add_reading(step, before, step.dim);
  }
  add_declared(step);
  if (number.known() && !is_exact(inference_, number)) step.bounds = bounds_.of(number);
  return step;
}

/// A constant says what it is where it is used.
bool Explainer::is_plain(Part part) const {
  const Value& value = model_.value(part.value);
  if (value.producer == kNoId) return value.initializer != kNoId && !value.scope_input;
  return model_.node(value.producer).inputs.empty() && known(part).number().has_value();
}

Explainer::Explanation Explainer::explain(Part part, size_t max_steps) {
  Explanation result;
  std::vector<Part> open = {part};
  std::vector<Part> seen;
  while (!open.empty()) {
    const Part next = open.back();
    open.pop_back();
    if (std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
    if (result.steps.size() == max_steps) {
      result.cut = true;
      break;
    }
    seen.push_back(next);
    result.steps.push_back(step(next));
    const std::vector<Part>& sources = result.steps.back().sources;
    for (size_t i = sources.size(); i-- > 0;) {
      if (!is_plain(sources[i])) open.push_back(sources[i]);
    }
  }
  return result;
}

Explainer::Explanation Explainer::explain_rank(ValueId value) {
  const auto unknown = [&](ValueId id) {
    if (id == kNoId) return false;
    const std::optional<Fact>& fact = inference_.facts[id];
    return !fact || fact->kind == FactKind::kUnknown || (fact->is_tensor() && !fact->shape);
  };
  Step step{.part = {.value = value}, .whole = true};
  // On a cycle the way has no end.
  for (size_t count = 0; count < model_.node_count(); ++count) {
    const NodeId producer = model_.value(value).producer;
    if (producer == kNoId) break;
    const std::span<const ValueId> inputs = model_.node(producer).inputs;
    const auto from = std::find_if(inputs.begin(), inputs.end(), unknown);
    step.nodes.push_back(producer);
    if (from == inputs.end()) break;
    value = *from;
  }
  Explanation result;
  const NodeId producer = model_.value(value).producer;
  if (value != step.part.value) {
    if (producer != kNoId) step.nodes.pop_back();
    step.kind = Step::Kind::kUnchanged;
    step.sources = {{.value = value}};
    result.steps.push_back(step);
    step = {.part = {.value = value}, .whole = true};
    if (producer != kNoId) step.nodes = {producer};
  }
  step.kind = producer == kNoId ? Step::Kind::kInput : Step::Kind::kNode;
  if (producer != kNoId) {
    Reason reason{.kind = Reason::Kind::kUnknownRank};
    reason.data = awaited_by(model_, inference_, producer);
    reason.inputs = data_inputs(model_, reason.data);
    step.reasons.push_back(std::move(reason));
  }
  result.steps.push_back(std::move(step));
  return result;
}

}  // namespace onnx_shapes
