// The first pass over a model: scopes, values, nodes.
#include "model/index.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/markers.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxPath = 1000;

std::string function_path(const onnx::FunctionProto& function) {
  std::string path = "function ";
  const std::string_view domain = canonical_domain(function.domain());
  if (!domain.empty()) path += shortened(domain, 200) + ":";
  path += shortened(function.name(), 200);
  if (!function.overload().empty()) path += ":" + shortened(function.overload(), 200);
  return path;
}

bool same_counts(const ContainerSpan& container, const ScopeSource& source) {
  const auto same = [](const std::vector<FieldSpan>& spans, const auto& field) {
    return spans.size() == static_cast<size_t>(field.size());
  };
  if (source.function != nullptr) {
    return container.kind == ContainerKind::kFunction &&
           same(container.value_infos, source.function->value_info());
  }
  return container.kind == ContainerKind::kGraph && same(container.inputs, source.graph->input()) &&
         same(container.outputs, source.graph->output()) &&
         same(container.value_infos, source.graph->value_info());
}

}  // namespace

bool Indexer::index_model() {
  const onnx::ModelProto& model = *data_.proto;
  // Most nodes have one output.
  data_.names.reserve(data_.wire.main_nodes.size() +
                      static_cast<size_t>(model.graph().initializer_size()));
  Scope& main = add_scope(Scope::Kind::kMainGraph, kNoId, {.graph = &model.graph()});
  main.path = "graph";
  add_opsets(main, model.opset_import());
  // Before IR version 3 models had no opset imports and meant version 1.
  if (main.opsets.empty() && model.ir_version() < 3) main.opsets.push_back({{}, 1});
  for (const onnx::FunctionProto& function : model.functions()) {
    const ScopeId id = add_function(function);
    const Scope& scope = data_.scopes[id];
    if (!data_.functions.emplace(FunctionKey{scope.domain, scope.name, scope.overload}, id)
             .second) {
      findings_.add(make_finding(Code::kDuplicateValue, data_.place(id),
                                 "the model has two functions of this name; the first is used",
                                 "remove or rename one, or give it an overload name"));
    }
  }
  return index_scopes();
}

ScopeId Indexer::index_function(const onnx::FunctionProto& function) {
  const ScopeId id = add_function(function);
  (void)index_scopes();
  return id;
}

Scope& Indexer::add_scope(Scope::Kind kind, ScopeId parent, ScopeSource source) {
  const auto id = static_cast<ScopeId>(data_.scopes.size());
  Scope& scope = data_.scopes.push_back({});
  scope.kind = kind;
  scope.parent = parent;
  data_.roots.push_back(parent == kNoId ? id : data_.roots[parent]);
  sources_.push_back(source);
  ++graphs_and_nodes_;
  set_container(
      scope,
      source.graph != nullptr ? source.graph->unknown_fields() : source.function->unknown_fields(),
      source);
  return scope;
}

// A graph that does not have exactly one container has no place to write annotations to.
void Indexer::set_container(Scope& scope, std::string_view unknown_fields,
                            const ScopeSource& source) {
  const std::vector<uint64_t> markers =
      unknown_varints(unknown_fields, WireIndex::kContainerMarker);
  if (markers.size() != 1 || markers[0] >= data_.wire.containers.size()) return;
  if (!same_counts(data_.wire.containers[markers[0]], source)) return;
  scope.container = static_cast<uint32_t>(markers[0]);
}

ScopeId Indexer::add_function(const onnx::FunctionProto& function) {
  const auto id = static_cast<ScopeId>(data_.scopes.size());
  Scope& scope = add_scope(Scope::Kind::kFunction, kNoId, {.function = &function});
  scope.path = function_path(function);
  scope.domain = canonical_domain(function.domain());
  scope.name = function.name();
  scope.overload = function.overload();
  add_opsets(scope, function.opset_import());
  return id;
}

// Of several imports of one domain the last counts, as in ONNX Runtime.
void Indexer::add_opsets(Scope& scope, const auto& imports) {
  for (const onnx::OperatorSetIdProto& import : imports) {
    scope.opsets.push_back({canonical_domain(import.domain()), import.version()});
  }
  const auto by_domain = [](const OpsetImport& a, const OpsetImport& b) {
    return a.domain < b.domain;
  };
  std::stable_sort(scope.opsets.begin(), scope.opsets.end(), by_domain);
  size_t kept = 0;
  for (const OpsetImport& import : scope.opsets) {
    if (kept > 0 && scope.opsets[kept - 1].domain == import.domain) --kept;
    scope.opsets[kept++] = import;
  }
  scope.opsets.resize(kept);
}

bool Indexer::index_scopes() {
  for (size_t i = 0; i < sources_.size(); ++i) {
    const auto id = static_cast<ScopeId>(first_scope_ + i);
    const ScopeSource source = sources_[i];
    if (source.graph != nullptr) {
      index_graph(id, *source.graph);
    } else {
      index_function_body(id, *source.function);
    }
    if (graphs_and_nodes_ > data_.options.max_nodes) return false;
  }
  return true;
}

void Indexer::index_graph(ScopeId id, const onnx::GraphProto& graph) {
  Scope& scope = data_.scopes[id];
  scope.inputs.reserve(static_cast<size_t>(graph.input_size()));
  for (const onnx::ValueInfoProto& input : graph.input()) {
    const ValueId value = define({.name = input.name(), .scope = id, .scope_input = true}, "input");
    if (input.name().empty()) {
      report_unnamed(id, "input", static_cast<uint32_t>(scope.inputs.size()));
    }
    scope.inputs.push_back(value);
  }
  const auto source_of = [id](std::string_view name) {
    TensorSource source;
    source.scope = id;
    source.owner = name;
    return source;
  };
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    add_initializer(id, tensor.name(), add_tensor(tensor, source_of(tensor.name())));
  }
  for (const onnx::SparseTensorProto& sparse : graph.sparse_initializer()) {
    const std::string& name = sparse.values().name();
    add_initializer(id, name, add_sparse_initializer(sparse, source_of(name)));
  }
  if (scope.kind == Scope::Kind::kMainGraph) {
    add_main_nodes(id, graph);
  } else {
    add_nodes(id, graph.node());
  }
  // What has no place in the file has no annotations: their list does not grow once a model is
  // loaded.
  if (scope.container == kNoId) return;
  add_annotations(id, graph.input(), Annotation::Role::kInput);
  add_annotations(id, graph.output(), Annotation::Role::kOutput);
  add_annotations(id, graph.value_info(), Annotation::Role::kValueInfo);
}

void Indexer::index_function_body(ScopeId id, const onnx::FunctionProto& function) {
  Scope& scope = data_.scopes[id];
  for (const std::string& input : function.input()) {
    const ValueId value = define({.name = input, .scope = id, .scope_input = true}, "input");
    scope.inputs.push_back(value);
  }
  scope.attribute_names.assign(function.attribute().begin(), function.attribute().end());
  for (const onnx::AttributeProto& proto : function.attribute_proto()) {
    bool usable = true;
    Attribute attribute = read_attribute(proto, id, kNoId, usable);
    if (usable) scope.attribute_defaults.push_back(std::move(attribute));
  }
  add_nodes(id, function.node());
  if (scope.container == kNoId) return;
  add_annotations(id, function.value_info(), Annotation::Role::kValueInfo);
}

void Indexer::add_nodes(ScopeId id, const auto& nodes) {
  data_.scopes[id].nodes.reserve(static_cast<size_t>(nodes.size()));
  for (const onnx::NodeProto& proto : nodes) {
    if (++graphs_and_nodes_ > data_.options.max_nodes) return;
    add_node(id, proto);
  }
}

void Indexer::add_node(ScopeId id, const onnx::NodeProto& proto) {
  const NodeId node_id = begin_node(id, {.proto = &proto, .plain = {}});
  Node& node = data_.nodes[node_id];
  node.op_type = proto.op_type();
  node.domain = canonical_domain(proto.domain());
  node.overload = proto.overload();
  node.name = proto.name();
  output_names_.assign(proto.output().begin(), proto.output().end());
  define_outputs(node_id);
  node.attributes.reserve(static_cast<size_t>(proto.attribute_size()));
  for (const onnx::AttributeProto& attribute_proto : proto.attribute()) {
    bool usable = true;
    Attribute attribute = read_attribute(attribute_proto, id, node_id, usable);
    if (usable) node.attributes.push_back(std::move(attribute));
  }
  report_repeated_attribute(node_id);
}

NodeId Indexer::begin_node(ScopeId id, NodeSource source) {
  const auto node_id = static_cast<NodeId>(data_.nodes.size());
  Node& node = data_.nodes.emplace_back();
  data_.node_sources.push_back(source);
  node.scope = id;
  node.index = static_cast<uint32_t>(data_.scopes[id].nodes.size());
  data_.scopes[id].nodes.push_back(node_id);
  return node_id;
}

void Indexer::define_outputs(NodeId id) {
  Node& node = data_.nodes[id];
  const size_t count = output_names_.size();
  auto* const outputs = google::protobuf::Arena::CreateArray<ValueId>(&data_.arena, count);
  for (uint32_t i = 0; i < count; ++i) {
    const std::string_view name = output_names_[i];
    report_shadowing(node.scope, id, name);
    outputs[i] =
        name.empty()
            ? kNoId
            : define({.name = name, .scope = node.scope, .producer = id, .output_index = i},
                     "output");
  }
  node.outputs = {outputs, count};
}

// An initializer that is also an input is the input's default. Of two of one name the last counts,
// as in ONNX Runtime. One whose tensor is not usable is a value of which nothing is known.
void Indexer::add_initializer(ScopeId id, std::string_view name, TensorId tensor) {
  Scope& scope = data_.scopes[id];
  if (name.empty()) {
    report_unnamed(id, "initializer", static_cast<uint32_t>(scope.initializers.size()));
    return;
  }
  ValueId value = data_.names.find(id, name, data_.names.hash(name));
  if (value == kNoId) {
    value = define({.name = name, .scope = id}, "initializer");
  } else if (data_.values[value].initializer != kNoId) {
    report_duplicate(value, {.name = name, .scope = id}, "initializer");
    if (tensor != kNoId) data_.values[value].initializer = tensor;
    return;
  }
  data_.values[value].initializer = tensor;
  if (tensor != kNoId) scope.initializers.push_back(value);
}

ValueId Indexer::define(Value value, std::string_view role) {
  const auto id = static_cast<ValueId>(data_.values.size());
  const uint64_t hash = data_.names.hash(value.name);
  const ValueId known =
      value.name.empty() ? kNoId : data_.names.find(value.scope, value.name, hash);
  data_.values.push_back(value);
  if (known == kNoId && !value.name.empty()) {
    data_.names.insert(id, hash);
  } else {
    data_.values[id].owns_name = false;
    if (known != kNoId) report_duplicate(known, value, role);
  }
  return id;
}

void Indexer::add_annotations(ScopeId id, const auto& infos, Annotation::Role role) {
  Scope& scope = data_.scopes[id];
  for (int i = 0; i < infos.size(); ++i) {
    const onnx::ValueInfoProto& info = infos.Get(i);
    Annotation annotation;
    annotation.role = role;
    annotation.scope = id;
    annotation.index = static_cast<uint32_t>(i);
    annotation.name = info.name();
    const auto position = static_cast<uint32_t>(data_.annotations.size());
    if (role == Annotation::Role::kInput) {
      annotation.value = scope.inputs[annotation.index];
      data_.values[annotation.value].input_annotation = position;
    } else if (!info.name().empty()) {
      annotation.value = data_.names.find(id, info.name(), data_.names.hash(info.name()));
      if (annotation.value != kNoId) {
        Value& value = data_.values[annotation.value];
        uint32_t& slot =
            role == Annotation::Role::kOutput ? value.output_annotation : value.value_info;
        if (slot == kNoId) slot = position;
      }
    }
    scope.annotations.push_back(position);
    add_annotation(id, info, std::move(annotation));
  }
}

void Indexer::add_annotation(ScopeId id, const onnx::ValueInfoProto& info, Annotation annotation) {
  if (info.has_type()) {
    type_faults_.clear();
    annotation.type = read_type(info.type(), data_.options.max_rank, type_faults_);
    for (TypeFault& fault : type_faults_) {
      Place place = data_.place(id);
      place.role = annotation.role == Annotation::Role::kInput    ? "input"
                   : annotation.role == Annotation::Role::kOutput ? "output"
                                                                  : "value_info";
      place.value = shortened(info.name(), 200);
      place.axis = fault.axis;
      findings_.add(make_finding(fault.code, std::move(place), std::move(fault.message),
                                 std::move(fault.help)));
    }
  }
  for (const onnx::StringStringEntryProto& entry : info.metadata_props()) {
    if (entry.key() == kBoundsKey) annotation.bounds = entry.value();
  }
  data_.annotations.push_back(std::move(annotation));
}

ScopeId Indexer::add_subgraph(const onnx::GraphProto& graph, ScopeId scope, NodeId node,
                              std::string_view attribute, int position) {
  const auto id = static_cast<ScopeId>(data_.scopes.size());
  Scope& subgraph = add_scope(Scope::Kind::kSubgraph, scope, {.graph = &graph});
  subgraph.owner = node;
  subgraph.attribute = attribute;
  subgraph.path = path_of_subgraph(node, scope, attribute, position);
  return id;
}

// The path names every node on the way; the middle of one that is too long is left out.
std::string Indexer::path_of_subgraph(NodeId owner, ScopeId parent, std::string_view attribute,
                                      int position) const {
  std::string path = data_.scopes[parent].path;
  if (path.size() > kMaxPath) path = shortened(path, kMaxPath);
  path += '/';
  if (owner != kNoId) path += data_.node_label(owner) + ".";
  path += shortened(attribute, 200);
  if (position >= 0) path += fmt::format("[{}]", position);
  return path;
}

}  // namespace onnx_shapes
