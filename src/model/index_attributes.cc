// The first pass over a model: attributes and tensors.
#include <fmt/format.h>

#include "model/index.h"
#include "model/plain.h"
#include "model/tensor_data.h"

namespace onnx_shapes {

using Proto = onnx::AttributeProto;

AttributeKind attribute_kind(int type) {
  switch (type) {
    case Proto::FLOAT:
      return AttributeKind::kFloat;
    case Proto::INT:
      return AttributeKind::kInt;
    case Proto::STRING:
      return AttributeKind::kString;
    case Proto::TENSOR:
      return AttributeKind::kTensor;
    case Proto::GRAPH:
      return AttributeKind::kGraph;
    case Proto::SPARSE_TENSOR:
      return AttributeKind::kSparseTensor;
    case Proto::TYPE_PROTO:
      return AttributeKind::kType;
    case Proto::FLOATS:
      return AttributeKind::kFloats;
    case Proto::INTS:
      return AttributeKind::kInts;
    case Proto::STRINGS:
      return AttributeKind::kStrings;
    case Proto::TENSORS:
      return AttributeKind::kTensors;
    case Proto::GRAPHS:
      return AttributeKind::kGraphs;
    case Proto::SPARSE_TENSORS:
      return AttributeKind::kSparseTensors;
    case Proto::TYPE_PROTOS:
      return AttributeKind::kTypes;
    case Proto::UNDEFINED:
      break;
  }
  return AttributeKind::kUndefined;
}

namespace {

/// The kind of the field that is set; kUndefined if none is, as for an empty list.
AttributeKind held_kind(const Proto& proto) {
  if (proto.has_f()) return AttributeKind::kFloat;
  if (proto.has_i()) return AttributeKind::kInt;
  if (proto.has_s()) return AttributeKind::kString;
  if (proto.has_t()) return AttributeKind::kTensor;
  if (proto.has_g()) return AttributeKind::kGraph;
  if (proto.has_sparse_tensor()) return AttributeKind::kSparseTensor;
  if (proto.has_tp()) return AttributeKind::kType;
  if (proto.floats_size() > 0) return AttributeKind::kFloats;
  if (proto.ints_size() > 0) return AttributeKind::kInts;
  if (proto.strings_size() > 0) return AttributeKind::kStrings;
  if (proto.tensors_size() > 0) return AttributeKind::kTensors;
  if (proto.graphs_size() > 0) return AttributeKind::kGraphs;
  if (proto.sparse_tensors_size() > 0) return AttributeKind::kSparseTensors;
  if (proto.type_protos_size() > 0) return AttributeKind::kTypes;
  return AttributeKind::kUndefined;
}

}  // namespace

TensorSource attribute_source(ScopeId scope, NodeId node, std::string_view name) {
  TensorSource source;
  source.scope = scope;
  source.node = node;
  source.is_attribute = true;
  source.owner = name;
  return source;
}

// Of the kind that the attribute declares and that of the field that is set. False if they differ.
bool Indexer::settle_kind(Attribute& attribute, AttributeKind held, const TensorSource& source) {
  // Models of the first format versions give no type: the field that is set tells it.
  if (attribute.kind == AttributeKind::kUndefined) attribute.kind = held;
  if (held == AttributeKind::kUndefined || held == attribute.kind) return true;
  findings_.add(make_finding(Code::kAttribute, data_.place_of_tensor(source),
                             "the attribute's type and the field that holds its value differ",
                             "set the field that belongs to the type"));
  return false;
}

// `usable` is false for an attribute that has no value of its type or whose tensor is refused.
Attribute Indexer::read_attribute(const Proto& proto, ScopeId scope, NodeId node, bool& usable) {
  Attribute attribute;
  attribute.name = proto.name();
  attribute.kind = attribute_kind(proto.type());
  attribute.reference = proto.ref_attr_name();
  if (!attribute.reference.empty()) return attribute;
  const TensorSource source = attribute_source(scope, node, attribute.name);
  usable = settle_kind(attribute, held_kind(proto), source);
  if (!usable) return attribute;
  switch (attribute.kind) {
    case AttributeKind::kFloat:
      attribute.float_value = proto.f();
      break;
    case AttributeKind::kInt:
      attribute.int_value = proto.i();
      break;
    case AttributeKind::kString:
      attribute.string_value = proto.s();
      break;
    case AttributeKind::kFloats:
      attribute.floats = {proto.floats().data(), static_cast<size_t>(proto.floats_size())};
      break;
    case AttributeKind::kInts:
      attribute.ints = {proto.ints().data(), static_cast<size_t>(proto.ints_size())};
      break;
    case AttributeKind::kStrings:
      attribute.strings.assign(proto.strings().begin(), proto.strings().end());
      break;
    case AttributeKind::kTensor:
      attribute.tensor = add_tensor(proto.t(), source);
      usable = attribute.tensor != kNoId;
      break;
    case AttributeKind::kSparseTensor:
      usable = read_sparse_tensor(proto.sparse_tensor(), source, attribute);
      break;
    case AttributeKind::kTensors:
      for (const onnx::TensorProto& tensor : proto.tensors()) {
        attribute.tensors.push_back(add_tensor(tensor, source));
        usable = usable && attribute.tensors.back() != kNoId;
      }
      break;
    case AttributeKind::kGraph:
      attribute.graphs.push_back(add_subgraph(proto.g(), scope, node, attribute.name, -1));
      break;
    case AttributeKind::kGraphs:
      for (int i = 0; i < proto.graphs_size(); ++i) {
        attribute.graphs.push_back(add_subgraph(proto.graphs(i), scope, node, attribute.name, i));
      }
      break;
    case AttributeKind::kType: {
      type_faults_.clear();
      attribute.type = std::make_shared<DeclaredType>(
          read_type(proto.tp(), data_.options.max_rank, type_faults_));
      for (TypeFault& fault : type_faults_) {
        Place place = data_.place_of_tensor(source);
        place.axis = fault.axis;
        findings_.add(make_finding(fault.code, std::move(place), std::move(fault.message),
                                   std::move(fault.help)));
      }
      break;
    }
    case AttributeKind::kSparseTensors:
    case AttributeKind::kTypes:
    case AttributeKind::kUndefined:
      break;
  }
  return attribute;
}

std::optional<std::vector<int64_t>> Indexer::read_dims(const auto& dims,
                                                       const TensorSource& source) {
  const auto rank = static_cast<size_t>(dims.size());
  if (rank > data_.options.max_rank) {
    findings_.add(make_finding(
        Code::kLimitRank, data_.place_of_tensor(source),
        fmt::format("the tensor has rank {}, above the limit of {}", rank, data_.options.max_rank),
        "raise it with --max-rank"));
    return std::nullopt;
  }
  std::vector<int64_t> result(dims.begin(), dims.end());
  for (size_t axis = 0; axis < rank; ++axis) {
    if (result[axis] >= 0) continue;
    Place place = data_.place_of_tensor(source);
    place.axis = static_cast<int64_t>(axis);
    findings_.add(make_finding(Code::kTensorData, std::move(place),
                               fmt::format("the tensor has dim {}, which is below 0", result[axis]),
                               "the file is damaged, or its writer is at fault"));
    return std::nullopt;
  }
  return result;
}

TensorId Indexer::add_tensor(const onnx::TensorProto& proto, TensorSource source) {
  std::optional<std::vector<int64_t>> dims = read_dims(proto.dims(), source);
  if (!dims) return kNoId;
  source.dense = &proto;
  return push_tensor({.name = proto.name(),
                      .elem = elem_type(proto.data_type()),
                      .dims = std::move(*dims),
                      .external = proto.data_location() == onnx::TensorProto::EXTERNAL},
                     source);
}

// One whose data is in raw_data, as that of nearly all is, is not parsed.
TensorId Indexer::add_plain_tensor(std::span<const uint8_t> content, TensorSource source) {
  Tensor tensor;
  std::vector<int64_t>& dims = plain_ints_;
  dims.clear();
  FieldReader reader(content);
  for (FieldView field; reader.next(field);) {
    switch (field.number) {
      case onnx::TensorProto::kDimsFieldNumber:
        append_ints(field, dims);
        break;
      case onnx::TensorProto::kDataTypeFieldNumber:
        tensor.elem = elem_type(static_cast<int32_t>(field.value));
        break;
      case onnx::TensorProto::kNameFieldNumber:
        tensor.name = field.text();
        break;
      case onnx::TensorProto::kRawDataFieldNumber:
        source.raw = field.content;
        break;
      default:
        break;
    }
  }
  if (source.raw.data() == nullptr) {
    return add_tensor(parsed<onnx::TensorProto>(content, data_.arena), source);
  }
  std::optional<std::vector<int64_t>> valid = read_dims(dims, source);
  if (!valid) return kNoId;
  tensor.dims = std::move(*valid);
  source.plain = content;
  return push_tensor(std::move(tensor), source);
}

TensorId Indexer::push_tensor(Tensor tensor, const TensorSource& source) {
  const auto id = static_cast<TensorId>(data_.tensors.size());
  data_.tensors.push_back(std::move(tensor));
  data_.tensor_sources.push_back(source);
  if (std::optional<Finding> fault = tensor_fault(data_, id)) findings_.add(std::move(*fault));
  return id;
}

TensorId Indexer::add_sparse_initializer(const onnx::SparseTensorProto& sparse,
                                         TensorSource source) {
  std::optional<std::vector<int64_t>> dims = read_dims(sparse.dims(), source);
  if (!dims) return kNoId;
  const auto id = static_cast<TensorId>(data_.tensors.size());
  Tensor& tensor = data_.tensors.push_back({});
  tensor.name = sparse.values().name();
  tensor.elem = elem_type(sparse.values().data_type());
  tensor.dims = std::move(*dims);
  data_.tensor_sources.push_back(source);
  const TensorId values = add_tensor(sparse.values(), source);
  const TensorId indices = add_tensor(sparse.indices(), source);
  if (values == kNoId || indices == kNoId) return kNoId;
  TensorSource& own = data_.tensor_sources[id];
  own.values = values;
  own.indices = indices;
  if (std::optional<Finding> fault = sparse_fault(data_, data_.tensors[id].dims, values, indices)) {
    findings_.add(std::move(*fault));
  }
  return id;
}

bool Indexer::read_sparse_tensor(const onnx::SparseTensorProto& sparse, TensorSource source,
                                 Attribute& attribute) {
  std::optional<std::vector<int64_t>> dims = read_dims(sparse.dims(), source);
  if (!dims) return false;
  attribute.sparse_dims = std::move(*dims);
  attribute.tensor = add_tensor(sparse.values(), source);
  attribute.indices = add_tensor(sparse.indices(), source);
  if (attribute.tensor == kNoId || attribute.indices == kNoId) return false;
  if (std::optional<Finding> fault =
          sparse_fault(data_, attribute.sparse_dims, attribute.tensor, attribute.indices)) {
    findings_.add(std::move(*fault));
    return false;
  }
  return true;
}

}  // namespace onnx_shapes
