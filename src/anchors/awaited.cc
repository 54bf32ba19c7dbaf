#include "anchors/awaited.h"

#include <algorithm>
#include <map>

namespace onnx_shapes {
namespace {

class DataWalk {
 public:
  explicit DataWalk(const Model& model) : model_(model), seen_(model.value_count()) {}

  std::vector<ValueId> run(const std::vector<ValueId>& values) {
    for (const ValueId value : values) add(value);
    while (!open_.empty()) {
      const ValueId value = open_.back();
      open_.pop_back();
      visit(value);
    }
    std::vector<ValueId> inputs;
    for (const ValueId input : model_.scope(model_.main_graph()).inputs) {
      if (input != kNoId && seen_[input]) inputs.push_back(input);
    }
    return inputs;
  }

 private:
  void add(ValueId value) {
    if (value == kNoId || seen_[value]) return;
    seen_[value] = true;
    open_.push_back(value);
  }

  void visit(ValueId id) {
    const Value& value = model_.value(id);
    if (value.producer != kNoId) {
      visit_node(value.producer);
    } else if (value.scope_input) {
      visit_formal(id, model_.scope(value.scope));
    }
  }

  void visit_node(NodeId id) {
    const Node& node = model_.node(id);
    const bool shape_only =
        node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size");
    if (shape_only) return;
    for (const ValueId input : node.inputs) add(input);
    for (const Attribute& attribute : node.attributes) {
      for (const ScopeId body : attribute.graphs) {
        for (const ValueId output : model_.scope(body).outputs) add(output);
      }
    }
    const ScopeId function = model_.function(node.domain, node.op_type, node.overload);
    if (function == kNoId) return;
    for (const ValueId output : model_.scope(function).outputs) add(output);
  }

  /// What the operator that runs the body hands in; of a function, what any call does.
  void visit_formal(ValueId formal, const Scope& scope) {
    if (scope.owner != kNoId) {
      for (const ValueId input : model_.node(scope.owner).inputs) add(input);
      return;
    }
    if (scope.kind != Scope::Kind::kFunction) return;
    const auto place = std::find(scope.inputs.begin(), scope.inputs.end(), formal);
    const auto at = static_cast<size_t>(place - scope.inputs.begin());
    if (calls_.empty()) find_calls();
    for (const NodeId call : calls_[{scope.domain, scope.name}]) {
      const Node& node = model_.node(call);
      if (at < node.inputs.size()) add(node.inputs[at]);
    }
  }

  void find_calls() {
    for (NodeId id = 0; id < model_.node_count(); ++id) {
      const Node& node = model_.node(id);
      calls_[{node.domain, node.op_type}].push_back(id);
    }
  }

  const Model& model_;
  std::vector<bool> seen_;
  std::vector<ValueId> open_;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<NodeId>> calls_;
};

}  // namespace

std::vector<ValueId> awaited_by(const Model& model, const Inference& inference, NodeId node) {
  std::vector<ValueId> values;
  const auto add = [&](ValueId value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  if (const auto found = inference.awaited.find(node); found != inference.awaited.end()) {
    for (const ValueId value : found->second) add(value);
  }
  if (!values.empty()) return values;
  for (const ValueId input : model.node(node).inputs) {
    if (input != kNoId && model.value(input).initializer == kNoId) add(input);
  }
  return values;
}

std::vector<ValueId> data_inputs(const Model& model, const std::vector<ValueId>& values) {
  return DataWalk(model).run(values);
}

}  // namespace onnx_shapes
