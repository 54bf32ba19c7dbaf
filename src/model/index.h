// Gives ids to everything in a model: first every name that is defined, in every scope, then every
// use of one. Neither pass recurses: scopes are taken from a growing list.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/declared_type.h"
#include "model/state.h"

namespace onnx_shapes {

/// What a scope was made of: a graph, or else a function.
struct ScopeSource {
  const onnx::GraphProto* graph = nullptr;
  const onnx::FunctionProto* function = nullptr;
};

/// The kind of that number, of AttributeProto.AttributeType; kUndefined if there is none.
[[nodiscard]] AttributeKind attribute_kind(int type);
/// What a tensor of the attribute is found under.
[[nodiscard]] TensorSource attribute_source(ScopeId scope, NodeId node, std::string_view name);

/// The first pass.
class Indexer {
 public:
  Indexer(ModelData& data, Findings& findings)
      : data_(data), findings_(findings), first_scope_(static_cast<ScopeId>(data.scopes.size())) {}

  /// Indexes the main graph, the functions of the model and all graphs inside them. False if there
  /// are more nodes than the limit: then the model is not usable.
  [[nodiscard]] bool index_model();
  /// Indexes one more function.
  [[nodiscard]] ScopeId index_function(const onnx::FunctionProto& function);

  /// The scopes that this pass made: the first one, and what each is made of.
  [[nodiscard]] ScopeId first_scope() const { return first_scope_; }
  [[nodiscard]] const std::vector<ScopeSource>& sources() const { return sources_; }

 private:
  Scope& add_scope(Scope::Kind kind, ScopeId parent, ScopeSource source);
  ScopeId add_function(const onnx::FunctionProto& function);
  void add_opsets(Scope& scope, const auto& imports);
  void set_container(Scope& scope, std::string_view unknown_fields, const ScopeSource& source);
  [[nodiscard]] std::string path_of_subgraph(NodeId owner, ScopeId parent,
                                             std::string_view attribute, int position) const;

  bool index_scopes();
  void index_graph(ScopeId id, const onnx::GraphProto& graph);
  void index_function_body(ScopeId id, const onnx::FunctionProto& function);
  void add_nodes(ScopeId id, const auto& nodes);
  void add_main_nodes(ScopeId id, const onnx::GraphProto& graph);
  void add_node(ScopeId id, const onnx::NodeProto& proto);
  void add_plain_node(ScopeId id, std::span<const uint8_t> content);
  NodeId begin_node(ScopeId id, NodeSource source);
  void define_outputs(NodeId id);  // those of output_names_
  /// Resolves those of input_names_, if all of them are defined by now.
  void try_to_resolve_inputs(NodeId id);
  void add_initializer(ScopeId id, std::string_view name, TensorId tensor);
  void add_annotations(ScopeId id, const auto& infos, Annotation::Role role);
  void add_annotation(ScopeId id, const onnx::ValueInfoProto& info, Annotation annotation);

  /// A new value. If the scope has one of that name already, that is reported, and the new one can
  /// be reached by its id only.
  ValueId define(Value value, std::string_view role);
  void report_duplicate(ValueId known, const Value& value, std::string_view role);
  void report_shadowing(ScopeId scope, NodeId node, std::string_view name);
  void report_repeated_attribute(NodeId id);
  void report_unnamed(ScopeId scope, std::string_view what, uint32_t position);

  [[nodiscard]] Attribute read_attribute(const onnx::AttributeProto& proto, ScopeId scope,
                                         NodeId node, bool& usable);
  [[nodiscard]] bool read_plain_attribute(std::span<const uint8_t> content, NodeId node,
                                          Attribute& attribute);
  AttributeKind read_plain_fields(std::span<const uint8_t> content, Attribute& attribute,
                                  std::span<const uint8_t>& tensor);
  [[nodiscard]] bool settle_kind(Attribute& attribute, AttributeKind held,
                                 const TensorSource& source);
  [[nodiscard]] bool read_sparse_tensor(const onnx::SparseTensorProto& sparse, TensorSource source,
                                        Attribute& attribute);
  ScopeId add_subgraph(const onnx::GraphProto& graph, ScopeId scope, NodeId node,
                       std::string_view attribute, int position);
  [[nodiscard]] TensorId add_tensor(const onnx::TensorProto& proto, TensorSource source);
  [[nodiscard]] TensorId add_plain_tensor(std::span<const uint8_t> content, TensorSource source);
  TensorId push_tensor(Tensor tensor, const TensorSource& source);
  [[nodiscard]] TensorId add_sparse_initializer(const onnx::SparseTensorProto& sparse,
                                                TensorSource source);
  /// The dims; nothing if they cannot be a tensor's, which is reported.
  [[nodiscard]] std::optional<std::vector<int64_t>> read_dims(const auto& dims,
                                                              const TensorSource& source);

  ModelData& data_;
  Findings& findings_;
  ScopeId first_scope_;
  std::vector<ScopeSource> sources_;
  // Kept for their memory.
  std::vector<TypeFault> type_faults_;
  std::vector<std::string_view> attribute_names_;
  std::vector<std::string_view> input_names_;
  std::vector<std::string_view> output_names_;
  std::vector<ValueId> inputs_;
  std::vector<std::span<const uint8_t>> plain_attributes_;
  std::vector<int64_t> plain_ints_;
  std::vector<float> plain_floats_;
  uint64_t graphs_and_nodes_ = 0;
};

/// The second pass: resolves the names that nodes and scopes use, and puts nodes in order.
void resolve_names(ModelData& data, ScopeId first_scope, const std::vector<ScopeSource>& sources,
                   Findings& findings);

/// Puts the nodes of the scopes from `first_scope` on in topological order; nodes on a cycle are
/// left out and reported. `unordered` tells, by scope from `first_scope` on, where the order of the
/// file will not do.
void order_nodes(ModelData& data, ScopeId first_scope, const std::vector<bool>& unordered,
                 Findings& findings);

/// The node of `scope` that `inner`, a scope below it, is inside of; kNoId if `inner` is no such
/// scope.
[[nodiscard]] NodeId node_around(const ModelData& data, ScopeId scope, ScopeId inner);

/// Finds the functions that call themselves, directly or not, and reports them.
void find_recursion(ModelData& data, Findings& findings);

/// Reports nodes whose domain has no opset import.
void check_opsets(const ModelData& data, Findings& findings);

}  // namespace onnx_shapes
