// The second pass over a model: what the names that nodes and scopes use stand for. A name is that
// of the innermost scope that has it, wherever in the scope it is produced.
#include <fmt/format.h>

#include "diag/printable.h"
#include "model/index.h"
#include "wire/field_reader.h"

namespace onnx_shapes {
namespace {

std::string quoted(std::string_view name) {
  return fmt::format("'{}'", printable(shortened(name, 200)));
}

class Resolver {
 public:
  Resolver(ModelData& data, ScopeId first_scope, const std::vector<ScopeSource>& sources,
           Findings& findings)
      : data_(data),
        findings_(findings),
        first_scope_(first_scope),
        sources_(sources),
        first_undefined_(static_cast<ValueId>(data.values.size())),
        unordered_(sources.size()) {}

  void run() {
    for (size_t i = 0; i < sources_.size(); ++i) {
      const auto id = static_cast<ScopeId>(first_scope_ + i);
      for (const NodeId node : data_.scopes[id].nodes) {
        if (!data_.node_sources[node].resolved) resolve_inputs(id, node);
      }
      resolve_outputs(id, sources_[i]);
    }
    order_nodes(data_, first_scope_, unordered_, findings_);
  }

 private:
  ValueId find(ScopeId scope, std::string_view name) const {
    const uint64_t hash = data_.names.hash(name);
    for (; scope != kNoId; scope = data_.scopes[scope].parent) {
      const ValueId id = data_.names.find(scope, name, hash);
      if (id != kNoId) return id;
    }
    return kNoId;
  }

  void resolve_inputs(ScopeId scope, NodeId id) {
    Node& node = data_.nodes[id];
    collect_inputs(data_.node_sources[id]);
    auto* const inputs =
        google::protobuf::Arena::CreateArray<ValueId>(&data_.arena, inputs_.size());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const std::string_view name = inputs_[i];
      inputs[i] = name.empty() ? kNoId : find(scope, name);
      if (name.empty()) continue;
      if (inputs[i] == kNoId) inputs[i] = undefined(scope, id, name);
      note_use(scope, inputs[i], node.index);
    }
    node.inputs = {inputs, inputs_.size()};
  }

  void collect_inputs(const NodeSource& source) {
    inputs_.clear();
    if (source.plain.data() == nullptr) {
      inputs_.assign(source.proto->input().begin(), source.proto->input().end());
      return;
    }
    FieldReader reader(source.plain);
    for (FieldView field; reader.next(field);) {
      if (field.number == onnx::NodeProto::kInputFieldNumber) inputs_.push_back(field.text());
    }
  }

  // An undefined value gets an id, so that it does not look like an input that is left out.
  ValueId undefined(ScopeId scope, NodeId node, std::string_view name) {
    Place place = data_.place_of_node(node);
    place.role = "input";
    place.value = shortened(name, 200);
    findings_.add(
        make_finding(Code::kUndefinedValue, std::move(place),
                     fmt::format("nothing produces {}, which {} uses", quoted(name),
                                 printable(data_.node_label(node))),
                     "an input is left out with an empty name; every other name must be a graph "
                     "input, an initializer or a node's output"));
    const auto id = static_cast<ValueId>(data_.values.size());
    data_.values.push_back({.name = name, .scope = scope, .owns_name = false});
    data_.names.insert(id, data_.names.hash(name));
    return id;
  }

  // Whether the order of the file has the producer before its use, which is inside of node `user`
  // of `scope`.
  void note_use(ScopeId scope, ValueId id, uint32_t user) {
    const Value& value = data_.values[id];
    if (value.producer == kNoId) return;
    if (value.scope != scope) {
      const NodeId around = node_around(data_, value.scope, scope);
      if (around == kNoId) return;
      user = data_.nodes[around].index;
    }
    if (data_.nodes[value.producer].index >= user) unordered_[value.scope - first_scope_] = true;
  }

  void resolve_outputs(ScopeId scope, const ScopeSource& source) {
    if (source.function != nullptr) {
      for (const std::string& name : source.function->output()) resolve_output(scope, name);
    } else {
      for (const onnx::ValueInfoProto& output : source.graph->output()) {
        resolve_output(scope, output.name());
      }
    }
  }

  void resolve_output(ScopeId id, std::string_view name) {
    Scope& scope = data_.scopes[id];
    const ValueId value = name.empty() ? kNoId : find(id, name);
    // A value that something uses and nothing produces is reported already.
    if (value == kNoId || value >= first_undefined_) {
      report_output(id, name,
                    name.empty() ? fmt::format("output {} has no name", scope.outputs.size())
                                 : fmt::format("nothing produces the output {}", quoted(name)),
                    "make a node produce it, or remove it from the outputs");
      scope.outputs.push_back(kNoId);
      return;
    }
    if (data_.values[value].scope == id) {
      data_.values[value].scope_output = true;
    } else {
      note_use(id, value, UINT32_MAX);
      report_output(id, name,
                    fmt::format("the output {} is a value of the graph around this one; ONNX "
                                "Runtime refuses that",
                                quoted(name)),
                    "put an Identity node between them");
    }
    scope.outputs.push_back(value);
  }

  void report_output(ScopeId scope, std::string_view name, std::string message, std::string help) {
    Place place = data_.place(scope);
    place.role = "output";
    place.value = shortened(name, 200);
    findings_.add(
        make_finding(Code::kOutputMissing, std::move(place), std::move(message), std::move(help)));
  }

  ModelData& data_;
  Findings& findings_;
  ScopeId first_scope_;
  const std::vector<ScopeSource>& sources_;
  ValueId first_undefined_;  // values from here on are names that nothing defines
  std::vector<bool> unordered_;
  std::vector<std::string_view> inputs_;  // of one node; kept for its memory
};

}  // namespace

NodeId node_around(const ModelData& data, ScopeId scope, ScopeId inner) {
  NodeId around = kNoId;
  while (inner != scope) {
    if (inner == kNoId) return kNoId;
    around = data.scopes[inner].owner;
    inner = data.scopes[inner].parent;
  }
  return around;
}

void resolve_names(ModelData& data, ScopeId first_scope, const std::vector<ScopeSource>& sources,
                   Findings& findings) {
  Resolver(data, first_scope, sources, findings).run();
}

}  // namespace onnx_shapes
