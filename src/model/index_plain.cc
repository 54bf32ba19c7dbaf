// The first pass over a model: nodes that are read from their bytes. The walk has seen that they
// are plain (wire/plain_node.h): each field has its wire type, and nothing is in pieces.
#include <algorithm>
#include <bit>

#include "model/index.h"
#include "model/plain.h"

namespace onnx_shapes {
namespace {

using google::protobuf::Arena;
using NodeProto = onnx::NodeProto;
using AttributeProto = onnx::AttributeProto;

float float_of(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

void append_floats(const FieldView& field, std::vector<float>& floats) {
  if (field.type == WireType::kFixed32) {
    floats.push_back(float_of(field.value));
    return;
  }
  for (size_t at = 0; at < field.content.size(); at += sizeof(uint32_t)) {
    floats.push_back(float_of(little_endian(field.content.subspan(at, sizeof(uint32_t)))));
  }
}

/// A copy in the arena.
template <class T>
std::span<const T> kept(const std::vector<T>& elements, Arena& arena) {
  if (elements.empty()) return {};
  T* const copy = Arena::CreateArray<T>(&arena, elements.size());
  std::copy(elements.begin(), elements.end(), copy);
  return {copy, elements.size()};
}

/// What a field says of the attribute itself.
void read_description(const FieldView& field, Attribute& attribute) {
  if (field.number == AttributeProto::kNameFieldNumber) {
    attribute.name = field.text();
  } else if (field.number == AttributeProto::kTypeFieldNumber) {
    attribute.kind = attribute_kind(static_cast<int>(field.value));
  } else if (field.number == AttributeProto::kRefAttrNameFieldNumber) {
    attribute.reference = field.text();
  }
}

AttributeKind kind_of_field(uint32_t number) {
  switch (number) {
    case AttributeProto::kFFieldNumber:
      return AttributeKind::kFloat;
    case AttributeProto::kIFieldNumber:
      return AttributeKind::kInt;
    case AttributeProto::kSFieldNumber:
      return AttributeKind::kString;
    case AttributeProto::kTFieldNumber:
      return AttributeKind::kTensor;
    case AttributeProto::kFloatsFieldNumber:
      return AttributeKind::kFloats;
    case AttributeProto::kIntsFieldNumber:
      return AttributeKind::kInts;
    case AttributeProto::kStringsFieldNumber:
      return AttributeKind::kStrings;
    default:
      return AttributeKind::kUndefined;
  }
}

}  // namespace

void Indexer::add_main_nodes(ScopeId id, const onnx::GraphProto& graph) {
  const WireIndex& wire = data_.wire;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(wire.plain_nodes.data());
  data_.scopes[id].nodes.reserve(wire.main_nodes.size());
  data_.node_sources.reserve(wire.main_nodes.size());
  int next_proto = 0;
  for (const NodeBytes& node : wire.main_nodes) {
    if (++graphs_and_nodes_ > data_.options.max_nodes) return;
    if (node.in_skeleton) {
      add_node(id, graph.node(next_proto++));
    } else {
      add_plain_node(id, {bytes + node.begin, node.size});
    }
  }
}

void Indexer::add_plain_node(ScopeId id, std::span<const uint8_t> content) {
  const NodeId node_id = begin_node(id, {.proto = nullptr, .plain = content});
  Node& node = data_.nodes[node_id];
  // What is said of an output or attribute names the node: its own names come first.
  input_names_.clear();
  output_names_.clear();
  plain_attributes_.clear();
  FieldReader reader(content);
  for (FieldView field; reader.next(field);) {
    switch (field.number) {
      case NodeProto::kInputFieldNumber:
        input_names_.push_back(field.text());
        break;
      case NodeProto::kOutputFieldNumber:
        output_names_.push_back(field.text());
        break;
      case NodeProto::kNameFieldNumber:
        node.name = field.text();
        break;
      case NodeProto::kOpTypeFieldNumber:
        node.op_type = field.text();
        break;
      case NodeProto::kAttributeFieldNumber:
        plain_attributes_.push_back(field.content);
        break;
      case NodeProto::kDomainFieldNumber:
        node.domain = canonical_domain(field.text());
        break;
      case NodeProto::kOverloadFieldNumber:
        node.overload = field.text();
        break;
      default:
        break;
    }
  }
  try_to_resolve_inputs(node_id);
  define_outputs(node_id);
  node.attributes.reserve(plain_attributes_.size());
  for (const std::span<const uint8_t> attribute_bytes : plain_attributes_) {
    Attribute& attribute = node.attributes.emplace_back();
    if (!read_plain_attribute(attribute_bytes, node_id, attribute)) node.attributes.pop_back();
  }
  report_repeated_attribute(node_id);
}

// In a file that is in order every name is defined before its uses, so that the second pass need
// not read the node again. A name stands for the same value then: that of the first definition in
// the main graph, which has no graph around it.
void Indexer::try_to_resolve_inputs(NodeId id) {
  Node& node = data_.nodes[id];
  inputs_.clear();
  for (const std::string_view name : input_names_) {
    inputs_.push_back(name.empty() ? kNoId
                                   : data_.names.find(node.scope, name, data_.names.hash(name)));
    if (inputs_.back() == kNoId && !name.empty()) return;
  }
  node.inputs = kept(inputs_, data_.arena);
  data_.node_sources[id].resolved = true;
}

// As read_attribute does with a message. False if the attribute is not usable.
bool Indexer::read_plain_attribute(std::span<const uint8_t> content, NodeId node,
                                   Attribute& attribute) {
  std::span<const uint8_t> tensor_bytes;
  const AttributeKind held = read_plain_fields(content, attribute, tensor_bytes);
  if (!attribute.reference.empty()) return true;
  const TensorSource source = attribute_source(data_.nodes[node].scope, node, attribute.name);
  if (!settle_kind(attribute, held, source)) return false;
  if (attribute.kind != AttributeKind::kTensor) return true;
  attribute.tensor = add_plain_tensor(tensor_bytes, source);
  return attribute.tensor != kNoId;
}

/// Reads the fields of an attribute, and gives the kind of the one that holds a value: in a plain
/// node there is one at most.
AttributeKind Indexer::read_plain_fields(std::span<const uint8_t> content, Attribute& attribute,
                                         std::span<const uint8_t>& tensor) {
  plain_ints_.clear();
  plain_floats_.clear();
  uint32_t held = 0;  // that field
  FieldReader reader(content);
  for (FieldView field; reader.next(field);) {
    bool holds = true;
    switch (field.number) {
      case AttributeProto::kFFieldNumber:
        attribute.float_value = float_of(field.value);
        break;
      case AttributeProto::kIFieldNumber:
        attribute.int_value = static_cast<int64_t>(field.value);
        break;
      case AttributeProto::kSFieldNumber:
        attribute.string_value = field.text();
        break;
      case AttributeProto::kTFieldNumber:
        tensor = field.content;
        break;
      case AttributeProto::kFloatsFieldNumber:
        append_floats(field, plain_floats_);
        holds = !plain_floats_.empty();
        break;
      case AttributeProto::kIntsFieldNumber:
        append_ints(field, plain_ints_);
        holds = !plain_ints_.empty();
        break;
      case AttributeProto::kStringsFieldNumber:
        attribute.strings.push_back(field.text());
        break;
      default:
        holds = false;
        read_description(field, attribute);
    }
    if (holds) held = field.number;
  }
  attribute.ints = kept(plain_ints_, data_.arena);
  attribute.floats = kept(plain_floats_, data_.arena);
  return kind_of_field(held);
}

const onnx::NodeProto& ModelData::node_proto(NodeId id) const {
  NodeSource& source = node_sources[id];
  if (source.proto == nullptr) source.proto = &parsed<NodeProto>(source.plain, arena);
  return *source.proto;
}

const onnx::TensorProto& ModelData::tensor_proto(TensorId id) const {
  TensorSource& source = tensor_sources[id];
  if (source.dense == nullptr) source.dense = &parsed<onnx::TensorProto>(source.plain, arena);
  return *source.dense;
}

}  // namespace onnx_shapes
