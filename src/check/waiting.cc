// Goes back from what a verdict waits for to values that a run can give.
#include "check/waiting.h"

#include <algorithm>
#include <map>

#include "anchors/awaited.h"
#include "check/inputs.h"

namespace onnx_shapes {
namespace {

class Waiting {
 public:
  Waiting(const Model& model, const Inference& inference, const std::set<ValueId>& done)
      : model_(model), inference_(inference), done_(done) {}

  Wanted of(const CheckResult& result);
  [[nodiscard]] bool runs_once(ScopeId scope);

 private:
  [[nodiscard]] const Fact& fact(ValueId value) const;
  [[nodiscard]] bool takes(NodeId node, std::string_view branch) const;
  [[nodiscard]] bool is_open(ValueId value) const;
  [[nodiscard]] bool is_settled(const Fact& fact) const;
  [[nodiscard]] bool is_small(ValueId value) const;
  [[nodiscard]] NodeId loop_of(ScopeId scope);
  bool want(ValueId value);
  bool want_in_loop(NodeId loop, ValueId value);
  bool want_control(NodeId node);
  bool want_contents(ValueId value);
  bool want_node(NodeId node);
  bool want_mention(SymbolId symbol);
  void want_symbol(SymbolId symbol);
  void want_type(ValueId value);
  void want_iterations(ValueId value);
  void want_body(ScopeId scope, ValueId value);

  const Model& model_;
  const Inference& inference_;
  const std::set<ValueId>& done_;
  Wanted wanted_;
  std::set<ValueId> seen_;
  std::set<SymbolId> symbols_;  // that were looked into
  std::map<ScopeId, bool> runs_once_;
};

const Fact& Waiting::fact(ValueId value) const {
  static const Fact unknown;
  const std::optional<Fact>& fact = inference_.facts[value];
  return fact ? *fact : unknown;
}

/// Whether the node is an If that takes the branch.
bool Waiting::takes(NodeId id, std::string_view branch) const {
  const Node& node = model_.node(id);
  if (node.op_type != "If" || !node.domain.empty() || node.inputs.empty() ||
      node.inputs[0] == kNoId) {
    return false;
  }
  const auto condition = known_integers(fact(node.inputs[0]));
  return condition && condition->size() == 1 &&
         (condition->front() != 0) == (branch == "then_branch");
}

bool Waiting::runs_once(ScopeId id) {
  if (id == model_.main_graph()) return true;
  const auto [known, added] = runs_once_.emplace(id, false);
  if (!added) return known->second;
  const Scope& scope = model_.scope(id);
  const bool runs = scope.owner != kNoId && takes(scope.owner, scope.attribute) &&
                    runs_once(model_.node(scope.owner).scope);
  return runs_once_[id] = runs;
}

/// Whether not even the rank is known but by declaration.
bool Waiting::is_open(ValueId value) const {
  const Fact& known = fact(value);
  return known.kind == FactKind::kUnknown || (known.is_tensor() && !known.shape) ||
         inference_.adopted.contains(value);
}

bool Waiting::is_settled(const Fact& fact) const {
  switch (fact.kind) {
    case FactKind::kTensor:
      return known_dims(fact).has_value();
    case FactKind::kSequence:
    case FactKind::kOptional:
      return fact.length.number() &&
             (fact.length.is(0) || (fact.element && is_settled(*fact.element)));
    default:
      return false;
  }
}

/// Whether its contents are followed, or may be: of vectors, which shapes are, the length may be
/// open too.
bool Waiting::is_small(ValueId value) const {
  const Fact& known = fact(value);
  const bool whole = is_integer(known.elem) || known.elem == ElemType::kBool;
  const auto dims = known_dims(known);
  if (!dims) return whole && known.is_tensor() && known.shape && known.shape->size() == 1;
  Tensor tensor;
  tensor.dims = *dims;
  const auto count = tensor.element_count();
  return count && *count <= (whole ? kMaxGivenElements : kMaxGivenFloats);
}

bool Waiting::want(ValueId id) {
  if (id == kNoId || done_.contains(id)) return false;
  const Value& value = model_.value(id);
  if (value.producer == kNoId || !value.owns_name || !runs_once(value.scope)) return false;
  if (seen_.insert(id).second) wanted_.values.push_back(id);
  return true;
}

/// The Loop or Scan that runs the body, if that itself is run once; else kNoId.
NodeId Waiting::loop_of(ScopeId id) {
  const Scope& scope = model_.scope(id);
  if (scope.owner == kNoId) return kNoId;
  const Node& node = model_.node(scope.owner);
  // Before opset 9 a Scan runs its body for each entry of a batch, too.
  const bool scan = node.op_type == "Scan" && model_.opset(node.scope, "").value_or(0) >= 9;
  const bool loops = node.domain.empty() && (scan || node.op_type == "Loop");
  return loops && runs_once(node.scope) ? scope.owner : kNoId;
}

/// What decides whether the node runs a body, and how often, as far as that is computed outside.
bool Waiting::want_control(NodeId id) {
  const Node& node = model_.node(id);
  const size_t deciding = node.op_type == "If" ? 1 : node.op_type == "Loop" ? 2 : 0;
  bool found = false;
  for (size_t i = 0; i < std::min(deciding, node.inputs.size()); ++i) {
    found = want_contents(node.inputs[i]) || found;
  }
  return found;
}

/// Where inference can follow the iterations once it knows how many there are, they need not run.
bool Waiting::want_in_loop(NodeId loop, ValueId id) {
  if (want_control(loop)) return true;
  if (done_.contains(id) || !model_.value(id).owns_name || fact(id).kind != FactKind::kTensor) {
    return false;
  }
  if (seen_.insert(id).second) wanted_.in_loops[loop].push_back(id);
  return true;
}

bool Waiting::want_contents(ValueId value) {
  if (value == kNoId || !is_small(value) || known_integers(fact(value))) return false;
  return want(value);
}

/// The contents that the node asked for in vain, if they are to be had; else what it gives. Where
/// it asked for nothing, and no rank came of it, contents would not help.
bool Waiting::want_node(NodeId id) {
  const Node& node = model_.node(id);
  if (const NodeId loop = loop_of(node.scope); loop != kNoId) {
    bool found = false;
    for (const ValueId output : node.outputs) {
      if (output == kNoId || is_settled(fact(output))) continue;
      found = want_in_loop(loop, output) || found;
    }
    return found;
  }
  if (!runs_once(node.scope)) return false;
  const auto asked = inference_.awaited.find(id);
  const bool has_asked = asked != inference_.awaited.end() && !asked->second.empty();
  const bool lost = std::any_of(node.outputs.begin(), node.outputs.end(),
                                [&](ValueId output) { return output != kNoId && is_open(output); });
  bool found = false;
  if (has_asked || !lost) {
    for (const ValueId value : awaited_by(model_, inference_, id)) {
      found = want_contents(value) || found;
    }
  }
  if (found) return true;
  for (const ValueId output : node.outputs) {
    if (output == kNoId || (is_settled(fact(output)) && !is_open(output))) continue;
    found = want(output) || found;
  }
  return found;
}

/// The first value whose sizes tell what the symbol is.
bool Waiting::want_mention(SymbolId symbol) {
  for (ScopeId scope = 0; scope < model_.scope_count(); ++scope) {
    if (!runs_once(scope)) continue;
    for (const NodeId id : model_.scope(scope).nodes) {
      for (const ValueId output : model_.node(id).outputs) {
        if (output == kNoId || !fact(output).shape) continue;
        const Shape& shape = *fact(output).shape;
        const bool found = std::any_of(shape.begin(), shape.end(), [&](Dim dim) {
          return dim.known() && mentions(dim, symbol);
        });
        if (found && want(output)) return true;
      }
    }
  }
  return false;
}

void Waiting::want_symbol(SymbolId symbol) {
  if (!symbols_.insert(symbol).second) return;
  const Origin& origin = inference_.symbols->info(symbol).origin;
  if (origin.kind == Origin::Kind::kContents && want_contents(origin.value)) return;
  if (origin.kind == Origin::Kind::kNode && want_node(origin.node)) return;
  want_mention(symbol);
}

/// Of a value of unknown rank: where the rank is lost on the way to it.
void Waiting::want_type(ValueId value) {
  std::set<ValueId> visited;
  while (visited.insert(value).second) {
    const NodeId producer = model_.value(value).producer;
    if (producer == kNoId) return;
    const std::span<const ValueId> inputs = model_.node(producer).inputs;
    const auto open = std::find_if(inputs.begin(), inputs.end(), [&](ValueId input) {
      return input != kNoId && model_.value(input).producer != kNoId && is_open(input) &&
             !done_.contains(input);
    });
    if (open == inputs.end()) {
      if (!want_node(producer)) want(value);
      return;
    }
    value = *open;
  }
}

/// Of a value of a loop's body: its sizes, and those that go from one iteration to the next. With
/// any of them comes what tells how many iterations there are.
void Waiting::want_iterations(ValueId id) {
  const ScopeId scope = model_.value(id).scope;
  const NodeId loop = loop_of(scope);
  if (loop == kNoId) return;
  const auto is_made_here = [&](ValueId value) {
    return value != kNoId && model_.value(value).scope == scope &&
           model_.value(value).producer != kNoId;
  };
  const std::vector<ValueId>& outputs = model_.scope(scope).outputs;
  bool found = false;
  const auto want_open = [&](ValueId value) {
    if (is_made_here(value) && !is_settled(fact(value))) found = want_in_loop(loop, value) || found;
  };
  want_open(id);
  for (const ValueId output : outputs) want_open(output);
  if (!found && !outputs.empty() && is_made_here(outputs.front())) {
    (void)want_in_loop(loop, outputs.front());
  }
}

/// Of a value inside a body that is not known to run once: what decides whether and how often the
/// outermost such body runs, and what its operator gets.
void Waiting::want_body(ScopeId scope, ValueId value) {
  NodeId outermost = kNoId;
  for (; scope != kNoId && !runs_once(scope); scope = model_.scope(scope).parent) {
    outermost = model_.scope(scope).owner;
  }
  if (outermost == kNoId) return;
  (void)want_control(outermost);
  want_iterations(value);
  if (!is_open(value)) return;
  for (const ValueId input : model_.node(outermost).inputs) {
    if (input != kNoId && is_open(input)) want_type(input);
  }
}

Wanted Waiting::of(const CheckResult& result) {
  for (const Judgement& judgement : result.judgements) {
    if (judgement.verdict != Verdict::kUndetermined) continue;
    const Annotation& annotation = model_.annotations()[judgement.annotation];
    for (const SymbolId symbol : judgement.awaits) want_symbol(symbol);
    if (!runs_once(annotation.scope)) {
      want_body(annotation.scope, annotation.value);
    } else if (is_open(annotation.value)) {
      want_type(annotation.value);
    }
  }
  std::sort(wanted_.values.begin(), wanted_.values.end());
  return std::move(wanted_);
}

}  // namespace

Wanted waited_for(const Model& model, const Inference& inference, const CheckResult& result,
                  const std::set<ValueId>& done) {
  return Waiting(model, inference, done).of(result);
}

bool runs_once(const Model& model, const Inference& inference, ScopeId scope) {
  return Waiting(model, inference, {}).runs_once(scope);
}

std::optional<std::vector<int64_t>> known_dims(const Fact& fact) {
  if (!fact.is_tensor() || !fact.shape) return std::nullopt;
  std::vector<int64_t> dims;
  for (const Dim dim : *fact.shape) {
    const std::optional<int64_t> number = dim.number();
    if (!number || *number < 0) return std::nullopt;
    dims.push_back(*number);
  }
  return dims;
}

std::optional<std::vector<int64_t>> known_integers(const Fact& fact) {
  if (!fact.elements || (!is_integer(fact.elem) && fact.elem != ElemType::kBool)) {
    return std::nullopt;
  }
  std::vector<int64_t> integers;
  for (const Scalar& element : *fact.elements) {
    const std::optional<int64_t> number =
        element.integer().known() ? element.integer().number() : std::nullopt;
    if (!number) return std::nullopt;
    integers.push_back(*number);
  }
  return integers;
}

}  // namespace onnx_shapes
