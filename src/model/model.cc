// What a model tells its readers.
#include "model/model.h"

#include <algorithm>

#include "model/elements.h"
#include "model/state.h"
#include "support/int_math.h"

namespace onnx_shapes {

const Attribute* Node::attribute(std::string_view attribute_name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == attribute_name; });
  return found == attributes.end() ? nullptr : &*found;
}

std::optional<int64_t> Tensor::element_count() const {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return 0;
  int64_t count = 1;
  for (const int64_t dim : dims) {
    const std::optional<int64_t> product = checked_mul(count, dim);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

Model::Model(std::unique_ptr<State> state) : state_(std::move(state)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const MappedFile& Model::file() const { return state_->file; }
const WireIndex& Model::wire() const { return state_->wire; }
int64_t Model::ir_version() const { return state_->proto->ir_version(); }
const Scope& Model::scope(ScopeId id) const { return state_->scopes[id]; }
const Node& Model::node(NodeId id) const { return state_->nodes[id]; }
const Value& Model::value(ValueId id) const { return state_->values[id]; }
const Tensor& Model::tensor(TensorId id) const { return state_->tensors[id]; }
size_t Model::scope_count() const { return state_->scopes.size(); }
size_t Model::node_count() const { return state_->nodes.size(); }
size_t Model::value_count() const { return state_->values.size(); }
const std::vector<Annotation>& Model::annotations() const { return state_->annotations; }

std::optional<int64_t> Model::opset(ScopeId scope, std::string_view domain) const {
  return state_->opset(scope, domain);
}

ScopeId Model::function(std::string_view domain, std::string_view name,
                        std::string_view overload) const {
  return state_->function(domain, name, overload);
}

bool Model::recursive(ScopeId function) const {
  return function < state_->recursive.size() && state_->recursive[function];
}

std::optional<std::vector<int64_t>> Model::int_elements(TensorId id, size_t max_count,
                                                        Findings& findings) const {
  return read_ints(*state_, id, max_count, findings);
}

std::optional<std::vector<double>> Model::float_elements(TensorId id, size_t max_count,
                                                         Findings& findings) const {
  return read_floats(*state_, id, max_count, findings);
}

std::optional<std::vector<std::string>> Model::string_elements(TensorId id, size_t max_count,
                                                               Findings& findings) const {
  return read_strings(*state_, id, max_count, findings);
}

Place Model::place(ScopeId scope) const { return state_->place(scope); }
Place Model::place_of_node(NodeId id) const { return state_->place_of_node(id); }
Place Model::place_of_value(ValueId id, std::optional<int64_t> axis) const {
  return state_->place_of_value(id, axis);
}
std::string Model::node_label(NodeId id) const { return state_->node_label(id); }

const ModelData& Model::data() const { return *state_; }
const onnx::ModelProto& Model::proto() const { return *state_->proto; }
const onnx::NodeProto& Model::node_proto(NodeId id) const { return state_->node_proto(id); }

}  // namespace onnx_shapes
