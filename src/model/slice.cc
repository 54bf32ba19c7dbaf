// Walks back from the values that are asked for, and copies what it meets into a new model.
#include "model/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diag/printable.h"
#include "model/raw_data.h"
#include "model/state.h"
#include "model/tensor_data.h"

namespace onnx_shapes {
namespace {

/// What a slice has of the format is in this version, and releases of engines that know no newer
/// one read it.
constexpr int64_t kSliceIrVersion = 10;

/// Bytes of initializers that are copied into the slice; more stays where it is. What engines read
/// when they load a model, shapes and the like, is smaller.
constexpr size_t kMaxCopied = 64 * 1024;

std::string quoted(std::string_view name) {
  return fmt::format("'{}'", printable(shortened(name, 200)));
}

/// The type without a shape; false if it has no element type.
bool set_type(const DeclaredType& declared, onnx::TypeProto& type) {
  using Kind = DeclaredType::Kind;
  switch (declared.kind) {
    case Kind::kTensor:
      type.mutable_tensor_type()->set_elem_type(static_cast<int32_t>(declared.elem));
      return declared.elem != ElemType::kUndefined;
    case Kind::kSequence:
      return declared.element &&
             set_type(*declared.element, *type.mutable_sequence_type()->mutable_elem_type());
    case Kind::kOptional:
      return declared.element &&
             set_type(*declared.element, *type.mutable_optional_type()->mutable_elem_type());
    case Kind::kSparseTensor:
    case Kind::kMap:
    case Kind::kOpaque:
    case Kind::kNone:
      break;
  }
  return false;
}

void forget_shape(onnx::TypeProto& type) {
  if (type.has_tensor_type()) type.mutable_tensor_type()->clear_shape();
  if (type.has_sparse_tensor_type()) type.mutable_sparse_tensor_type()->clear_shape();
  if (type.has_sequence_type()) forget_shape(*type.mutable_sequence_type()->mutable_elem_type());
  if (type.has_optional_type()) forget_shape(*type.mutable_optional_type()->mutable_elem_type());
}

void set_known(const KnownContents& known, onnx::TensorProto& tensor) {
  tensor.set_data_type(static_cast<int32_t>(known.elem));
  for (const int64_t dim : known.dims) tensor.add_dims(dim);
  for (const int64_t number : known.integers) {
    switch (typed_field(known.elem)) {
      case DataField::kInt64:
        tensor.add_int64_data(number);
        break;
      case DataField::kUint64:
        tensor.add_uint64_data(static_cast<uint64_t>(number));
        break;
      default:
        tensor.add_int32_data(static_cast<int32_t>(number));
    }
  }
}

class SliceCutter {
 public:
  SliceCutter(const Model& model, const SliceOptions& options)
      : model_(model),
        data_(model.data()),
        options_(options),
        seen_(model.value_count()),
        needed_(model.node_count()) {}

  Result<ModelSlice, std::string> cut(std::span<const ValueId> values);
  Result<ModelSlice, std::string> cut_loop(NodeId loop, std::span<const ValueId> values);

 private:
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }
  [[nodiscard]] bool is_outside(ValueId value) const;
  void need(ValueId value);
  void visit(ValueId value);
  void need_node(NodeId node);
  void need_captured(ScopeId body);
  void need_function(const Node& node);
  void need_functions_of(ScopeId scope);

  void start(ScopeId scope);
  void follow();
  Result<ModelSlice, std::string> finish(onnx::ModelProto& model);
  void add_nodes(onnx::GraphProto& graph);
  void expose(onnx::NodeProto& loop);
  void add_inputs(onnx::GraphProto& graph);
  void add_initializer(onnx::GraphProto& graph, ValueId value);
  [[nodiscard]] bool refer(onnx::GraphProto& graph, const onnx::TensorProto& tensor);
  void add_functions(onnx::ModelProto& model);
  void complete(onnx::TensorProto& tensor);
  void complete(onnx::SparseTensorProto& tensor);
  void complete(onnx::NodeProto& node);
  void complete(onnx::GraphProto& graph, bool of_loop);

  const Model& model_;
  const ModelData& data_;
  const SliceOptions& options_;
  NodeId loop_ = kNoId;               // whose body's values are wanted
  std::vector<ValueId> loop_values_;  // and which
  std::vector<ScopeId> scopes_;       // whose nodes become nodes of the slice, outermost first
  std::vector<bool> seen_;            // by value
  std::vector<bool> needed_;          // by node
  std::vector<ValueId> open_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> initializers_;
  std::vector<std::pair<ValueId, KnownContents>> known_;
  std::set<ScopeId> functions_;
  ModelSlice slice_;
  std::string fault_;
};

bool SliceCutter::is_outside(ValueId value) const {
  return std::find(scopes_.begin(), scopes_.end(), model_.value(value).scope) != scopes_.end();
}

void SliceCutter::need(ValueId value) {
  if (value == kNoId || seen_[value]) return;
  seen_[value] = true;
  open_.push_back(value);
}

void SliceCutter::visit(ValueId id) {
  if (options_.known) {
    if (std::optional<KnownContents> known = options_.known(id)) {
      known_.emplace_back(id, std::move(*known));
      return;
    }
  }
  const Value& value = model_.value(id);
  if (value.producer != kNoId) {
    need_node(value.producer);
  } else if (value.scope == model_.main_graph() && options_.given && options_.given(id)) {
    inputs_.push_back(id);
  } else if (value.initializer != kNoId) {
    initializers_.push_back(id);
  } else {
    fail(value.scope_input
             ? fmt::format("it needs the contents of input {}, which the run does not "
                           "give",
                           quoted(value.name))
             : fmt::format("nothing produces {}", quoted(value.name)));
  }
}

void SliceCutter::need_node(NodeId id) {
  if (needed_[id]) return;
  needed_[id] = true;
  ++slice_.nodes;
  const Node& node = model_.node(id);
  for (const ValueId input : node.inputs) need(input);
  for (const Attribute& attribute : node.attributes) {
    for (const ScopeId body : attribute.graphs) need_captured(body);
  }
  need_function(node);
}

/// The values of the scopes around a body that it reads.
void SliceCutter::need_captured(ScopeId body) {
  std::vector<ScopeId> bodies = {body};
  while (!bodies.empty()) {
    const Scope& scope = model_.scope(bodies.back());
    bodies.pop_back();
    const auto need_outer = [&](ValueId value) {
      if (value != kNoId && is_outside(value)) need(value);
    };
    for (const ValueId output : scope.outputs) need_outer(output);
    for (const NodeId id : scope.nodes) {
      const Node& node = model_.node(id);
      for (const ValueId input : node.inputs) need_outer(input);
      for (const Attribute& attribute : node.attributes) {
        bodies.insert(bodies.end(), attribute.graphs.begin(), attribute.graphs.end());
      }
      need_function(node);
    }
  }
}

void SliceCutter::need_function(const Node& node) {
  const ScopeId function = model_.function(node.domain, node.op_type, node.overload);
  if (function == kNoId) return;
  if (model_.recursive(function)) {
    fail(fmt::format("function {} calls itself", quoted(node.op_type)));
  } else if (functions_.insert(function).second) {
    need_functions_of(function);
  }
}

void SliceCutter::need_functions_of(ScopeId scope) {
  for (const NodeId id : model_.scope(scope).nodes) {
    const Node& node = model_.node(id);
    need_function(node);
    for (const Attribute& attribute : node.attributes) {
      for (const ScopeId body : attribute.graphs) need_functions_of(body);
    }
  }
}

void SliceCutter::complete(onnx::TensorProto& tensor) {
  if (tensor.unknown_fields().empty() && tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    return;
  }
  Result<onnx::TensorProto, std::string> whole = whole_tensor(data_, tensor);
  if (whole) {
    tensor = std::move(*whole);
  } else {
    fail(whole.reason());
  }
}

void SliceCutter::complete(onnx::SparseTensorProto& tensor) {
  complete(*tensor.mutable_values());
  complete(*tensor.mutable_indices());
}

void SliceCutter::complete(onnx::GraphProto& graph, bool of_loop) {
  graph.mutable_unknown_fields()->clear();
  graph.clear_value_info();
  for (int i = 0; i < graph.input_size(); ++i) {
    // The iteration number and the condition of a Loop have the rank that the body declares.
    if (!of_loop || i > 1) forget_shape(*graph.mutable_input(i)->mutable_type());
  }
  for (auto& output : *graph.mutable_output()) forget_shape(*output.mutable_type());
  for (auto& tensor : *graph.mutable_initializer()) complete(tensor);
  for (auto& tensor : *graph.mutable_sparse_initializer()) complete(tensor);
  for (auto& node : *graph.mutable_node()) complete(node);
}

void SliceCutter::complete(onnx::NodeProto& node) {
  const bool loop = node.op_type() == "Loop";
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) complete(*attribute.mutable_t());
    for (auto& tensor : *attribute.mutable_tensors()) complete(tensor);
    if (attribute.has_sparse_tensor()) complete(*attribute.mutable_sparse_tensor());
    for (auto& tensor : *attribute.mutable_sparse_tensors()) complete(tensor);
    if (attribute.has_g()) complete(*attribute.mutable_g(), loop);
    for (auto& graph : *attribute.mutable_graphs()) complete(graph, loop);
  }
}

void SliceCutter::add_nodes(onnx::GraphProto& graph) {
  for (const ScopeId scope : scopes_) {
    for (const NodeId id : model_.scope(scope).nodes) {
      if (!needed_[id]) continue;
      onnx::NodeProto& node = *graph.add_node();
      node = model_.node_proto(id);
      complete(node);
      if (id == loop_) expose(node);
    }
  }
  // Nodes on a cycle are in no list.
  if (static_cast<size_t>(graph.node_size()) != slice_.nodes) {
    fail("nodes that it needs depend on each other in a cycle");
  }
}

void SliceCutter::add_inputs(onnx::GraphProto& graph) {
  std::sort(inputs_.begin(), inputs_.end());
  for (const ValueId id : inputs_) {
    const Value& value = model_.value(id);
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(std::string(value.name));
    DeclaredType type;
    if (value.input_annotation != kNoId) {
      type = model_.annotations()[value.input_annotation].type;
    } else if (value.initializer != kNoId) {
      type.kind = DeclaredType::Kind::kTensor;
      type.elem = model_.tensor(value.initializer).elem;
    }
    if (!set_type(type, *input.mutable_type())) {
      fail(fmt::format("input {} has no type that can be given", quoted(value.name)));
    }
  }
  slice_.inputs = inputs_;
}

/// Makes the initializer an input of the slice; false for one that is to be copied.
bool SliceCutter::refer(onnx::GraphProto& graph, const onnx::TensorProto& tensor) {
  ModelSlice::Weights weights;
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    Result<std::vector<uint8_t>, std::string> bytes = external_elements(data_, tensor);
    if (!bytes) {
      fail(bytes.reason());
      return false;
    }
    if (bytes->size() <= kMaxCopied) return false;
    weights.bytes = slice_.read.emplace_back(std::move(*bytes));
  } else {
    const DataLocation location = locate_data(data_, tensor);
    if (location.form != DataLocation::Form::kRaw || location.bytes.size() <= kMaxCopied) {
      return false;
    }
    weights.bytes = location.bytes;
  }
  weights.name = tensor.name();
  weights.elem = elem_type(tensor.data_type());
  weights.dims.assign(tensor.dims().begin(), tensor.dims().end());
  onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name(tensor.name());
  onnx::TypeProto::Tensor& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(tensor.data_type());
  type.mutable_shape();
  for (const int64_t dim : weights.dims) type.mutable_shape()->add_dim()->set_dim_value(dim);
  slice_.weights.push_back(std::move(weights));
  return true;
}

void SliceCutter::add_initializer(onnx::GraphProto& graph, ValueId value) {
  const TensorId id = model_.value(value).initializer;
  const TensorSource& source = data_.tensor_sources[id];
  if (source.is_sparse()) {
    onnx::SparseTensorProto& sparse = *graph.add_sparse_initializer();
    if (source.values == kNoId || source.indices == kNoId) {
      fail(fmt::format("the sparse tensor {} is malformed", quoted(model_.value(value).name)));
      return;
    }
    *sparse.mutable_values() = data_.tensor_proto(source.values);
    *sparse.mutable_indices() = data_.tensor_proto(source.indices);
    for (const int64_t dim : model_.tensor(id).dims) sparse.add_dims(dim);
    complete(sparse);
    return;
  }
  if (refer(graph, data_.tensor_proto(id))) return;
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor = data_.tensor_proto(id);
  complete(tensor);
}

void SliceCutter::add_functions(onnx::ModelProto& model) {
  for (const onnx::FunctionProto& function : model_.proto().functions()) {
    const ScopeId id =
        model_.function(canonical_domain(function.domain()), function.name(), function.overload());
    if (!functions_.contains(id)) continue;
    onnx::FunctionProto& copy = *model.add_functions();
    copy = function;
    copy.mutable_unknown_fields()->clear();
    copy.clear_value_info();
    for (auto& node : *copy.mutable_node()) complete(node);
  }
}

/// Makes the dims of the values in each iteration, and the condition, outputs of the loop.
void SliceCutter::expose(onnx::NodeProto& loop) {
  const bool has_condition = loop.op_type() == "Loop";
  onnx::GraphProto* body = nullptr;
  for (auto& attribute : *loop.mutable_attribute()) {
    if (attribute.name() == "body") body = attribute.mutable_g();
  }
  if (body == nullptr) {
    fail("the loop has no body");
    return;
  }
  // Outputs that nobody reads may be left out of the node; these come behind all.
  const int before = body->output_size() - (has_condition ? 1 : 0);
  for (int i = 0; i < before; ++i) {
    if (i >= loop.output_size()) loop.add_output();
    if (loop.output(i).empty()) *loop.mutable_output(i) = fmt::format("onnx_shapes.unread{}", i);
  }
  const auto give = [&](const char* op, const std::string& input, ElemType elem) {
    const std::string name = fmt::format("onnx_shapes.{}", slice_.output_names.size());
    onnx::NodeProto& node = *body->add_node();
    node.set_op_type(op);
    node.add_input(input);
    node.add_output(name);
    onnx::ValueInfoProto& output = *body->add_output();
    output.set_name(name);
    output.mutable_type()->mutable_tensor_type()->set_elem_type(static_cast<int32_t>(elem));
    slice_.output_names.push_back(fmt::format("onnx_shapes.all.{}", slice_.output_names.size()));
    loop.add_output(slice_.output_names.back());
  };
  for (const ValueId value : loop_values_) {
    give("Shape", std::string(model_.value(value).name), ElemType::kInt64);
  }
  if (has_condition) {
    slice_.condition = slice_.output_names.size();
    give("Identity", std::string(body->output(0).name()), ElemType::kBool);
  }
  for (auto& attribute : *loop.mutable_attribute()) {
    if (attribute.name() != "scan_output_axes" && attribute.name() != "scan_output_directions")
      continue;
    for (size_t i = 0; i < loop_values_.size(); ++i) attribute.add_ints(0);
  }
}

/// The scope and those around it.
void SliceCutter::start(ScopeId scope) {
  for (; scope != kNoId; scope = model_.scope(scope).parent) scopes_.insert(scopes_.begin(), scope);
}

void SliceCutter::follow() {
  while (!open_.empty() && fault_.empty()) {
    const ValueId value = open_.back();
    open_.pop_back();
    visit(value);
  }
}

Result<ModelSlice, std::string> SliceCutter::finish(onnx::ModelProto& model) {
  model.set_ir_version(kSliceIrVersion);
  *model.mutable_opset_import() = model_.proto().opset_import();
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("slice");
  add_inputs(graph);
  slice_.read.reserve(initializers_.size());  // their bytes must not move
  for (const ValueId value : initializers_) add_initializer(graph, value);
  for (const auto& [value, known] : known_) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(std::string(model_.value(value).name));
    set_known(known, tensor);
  }
  add_nodes(graph);
  for (const std::string& name : slice_.output_names) graph.add_output()->set_name(name);
  add_functions(model);
  if (!fault_.empty()) return Failure{std::move(fault_)};
  if (model.ByteSizeLong() > INT32_MAX || !model.SerializeToString(&slice_.bytes)) {
    return Failure{std::string("the part of the model that computes it is larger than 2 GiB")};
  }
  return std::move(slice_);
}

Result<ModelSlice, std::string> SliceCutter::cut(std::span<const ValueId> values) {
  start(model_.value(values.front()).scope);
  for (const ValueId value : values) need(value);
  follow();
  if (!fault_.empty()) return Failure{std::move(fault_)};
  slice_.outputs.assign(values.begin(), values.end());
  for (const ValueId value : values) slice_.output_names.emplace_back(model_.value(value).name);
  onnx::ModelProto model;
  return finish(model);
}

Result<ModelSlice, std::string> SliceCutter::cut_loop(NodeId loop,
                                                      std::span<const ValueId> values) {
  start(model_.node(loop).scope);
  need_node(loop);
  follow();
  if (!fault_.empty()) return Failure{std::move(fault_)};
  loop_ = loop;
  loop_values_.assign(values.begin(), values.end());
  slice_.outputs = loop_values_;
  onnx::ModelProto model;
  return finish(model);
}

}  // namespace

Result<ModelSlice, std::string> cut_slice(const Model& model, std::span<const ValueId> values,
                                          const SliceOptions& options) {
  return SliceCutter(model, options).cut(values);
}

Result<ModelSlice, std::string> cut_loop_slice(const Model& model, NodeId loop,
                                               std::span<const ValueId> values,
                                               const SliceOptions& options) {
  return SliceCutter(model, options).cut_loop(loop, values);
}

}  // namespace onnx_shapes
