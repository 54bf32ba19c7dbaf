// Sets types in ValueInfoProto messages: the message's fields by their bytes, the type by protobuf.
#include "model/write_type.h"

#include <onnx/onnx_pb.h>

#include "model/markers.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

void set_dim(onnx::TensorShapeProto::Dimension& proto, const WrittenDim& dim) {
  if (const auto* number = std::get_if<int64_t>(&dim)) {
    proto.set_dim_value(*number);
  } else if (const auto* text = std::get_if<std::string>(&dim)) {
    proto.set_dim_param(*text);
  } else {
    proto.clear_value();
  }
}

// Denotations belong to axes: they stay where the rank does.
void set_tensor(auto& proto, const WrittenType& type) {
  proto.set_elem_type(static_cast<int32_t>(type.elem));
  if (!type.has_shape) {
    proto.clear_shape();
    return;
  }
  onnx::TensorShapeProto& shape = *proto.mutable_shape();
  if (static_cast<size_t>(shape.dim_size()) != type.dims.size()) {
    shape.clear_dim();
    for (size_t i = 0; i < type.dims.size(); ++i) shape.add_dim();
  }
  for (size_t i = 0; i < type.dims.size(); ++i) {
    set_dim(*shape.mutable_dim(static_cast<int>(i)), type.dims[i]);
  }
}

void set_type(onnx::TypeProto& proto, const WrittenType& type) {
  switch (type.kind) {
    case DeclaredType::Kind::kNone:
      proto.clear_value();
      break;
    case DeclaredType::Kind::kTensor:
      set_tensor(*proto.mutable_tensor_type(), type);
      break;
    case DeclaredType::Kind::kSparseTensor:
      set_tensor(*proto.mutable_sparse_tensor_type(), type);
      break;
    case DeclaredType::Kind::kSequence:
      proto.mutable_sequence_type();
      if (type.element)
        set_type(*proto.mutable_sequence_type()->mutable_elem_type(), *type.element);
      break;
    case DeclaredType::Kind::kOptional:
      proto.mutable_optional_type();
      if (type.element)
        set_type(*proto.mutable_optional_type()->mutable_elem_type(), *type.element);
      break;
    case DeclaredType::Kind::kMap:
      proto.mutable_map_type()->set_key_type(static_cast<int32_t>(type.elem));
      if (type.element) set_type(*proto.mutable_map_type()->mutable_value_type(), *type.element);
      break;
    case DeclaredType::Kind::kOpaque:
      proto.mutable_opaque_type();
      break;
  }
}

void append_field(std::string& out, uint32_t number, std::string_view content) {
  append_tag(out, number, WireType::kLength);
  append_varint(out, content.size());
  out += content;
}

constexpr uint32_t kName = onnx::ValueInfoProto::kNameFieldNumber;
constexpr uint32_t kType = onnx::ValueInfoProto::kTypeFieldNumber;

// A model gets thousands of new types, so these are written without a message of protobuf each:
// sizes first, since the length of a message stands before it.

constexpr uint32_t kElemType = onnx::TypeProto::Tensor::kElemTypeFieldNumber;  // a sparse one's too
constexpr uint32_t kShape = onnx::TypeProto::Tensor::kShapeFieldNumber;
constexpr uint32_t kDim = onnx::TensorShapeProto::kDimFieldNumber;
constexpr uint32_t kDimValue = onnx::TensorShapeProto::Dimension::kDimValueFieldNumber;
constexpr uint32_t kDimParam = onnx::TensorShapeProto::Dimension::kDimParamFieldNumber;

uint64_t tag_size(uint32_t number) { return varint_size(uint64_t{number} << 3U); }

/// Of a field with a content of that many bytes.
uint64_t field_size(uint32_t number, uint64_t content) {
  return tag_size(number) + varint_size(content) + content;
}

void append_header(std::string& out, uint32_t number, uint64_t content) {
  append_tag(out, number, WireType::kLength);
  append_varint(out, content);
}

uint64_t size_of(const WrittenDim& dim) {
  if (const auto* value = std::get_if<int64_t>(&dim)) {
    return tag_size(kDimValue) + varint_size(static_cast<uint64_t>(*value));
  }
  const auto* text = std::get_if<std::string>(&dim);
  return text != nullptr ? field_size(kDimParam, text->size()) : 0;
}

uint64_t size_of_shape(const WrittenType& type) {
  uint64_t size = 0;
  for (const WrittenDim& dim : type.dims) size += field_size(kDim, size_of(dim));
  return size;
}

bool is_tensor(const WrittenType& type) {
  return type.kind == DeclaredType::Kind::kTensor || type.kind == DeclaredType::Kind::kSparseTensor;
}

/// The field of a type that holds what this kind has, and the field of that which holds the
/// element.
struct KindFields {
  uint32_t kind = 0;
  uint32_t element = 0;
};

KindFields fields_of(DeclaredType::Kind kind) {
  using Type = onnx::TypeProto;
  switch (kind) {
    case DeclaredType::Kind::kTensor:
      return {Type::kTensorTypeFieldNumber};
    case DeclaredType::Kind::kSparseTensor:
      return {Type::kSparseTensorTypeFieldNumber};
    case DeclaredType::Kind::kSequence:
      return {Type::kSequenceTypeFieldNumber, Type::Sequence::kElemTypeFieldNumber};
    case DeclaredType::Kind::kOptional:
      return {Type::kOptionalTypeFieldNumber, Type::Optional::kElemTypeFieldNumber};
    case DeclaredType::Kind::kMap:
      return {Type::kMapTypeFieldNumber, Type::Map::kValueTypeFieldNumber};
    case DeclaredType::Kind::kOpaque:
      return {Type::kOpaqueTypeFieldNumber};
    case DeclaredType::Kind::kNone:
      break;
  }
  return {};
}

/// The number of a tensor's element type, or of a map's key type: both are field 1.
bool has_elem(const WrittenType& type) {
  static_assert(onnx::TypeProto::Map::kKeyTypeFieldNumber == kElemType);
  static_assert(onnx::TypeProto::SparseTensor::kElemTypeFieldNumber == kElemType);
  static_assert(onnx::TypeProto::SparseTensor::kShapeFieldNumber == kShape);
  return is_tensor(type) || type.kind == DeclaredType::Kind::kMap;
}

uint64_t size_of(const WrittenType& type);

/// Of the content of the field of the type's kind.
uint64_t size_of_kind(const WrittenType& type) {
  uint64_t size = 0;
  if (has_elem(type)) size += tag_size(kElemType) + varint_size(static_cast<uint64_t>(type.elem));
  if (is_tensor(type) && type.has_shape) size += field_size(kShape, size_of_shape(type));
  const uint32_t element = fields_of(type.kind).element;
  if (element != 0 && type.element) size += field_size(element, size_of(*type.element));
  return size;
}

uint64_t size_of(const WrittenType& type) {
  const uint32_t kind = fields_of(type.kind).kind;
  return kind == 0 ? 0 : field_size(kind, size_of_kind(type));
}

void append_shape(std::string& out, const WrittenType& type) {
  for (const WrittenDim& dim : type.dims) {
    append_header(out, kDim, size_of(dim));
    if (const auto* value = std::get_if<int64_t>(&dim)) {
      append_tag(out, kDimValue, WireType::kVarint);
      append_varint(out, static_cast<uint64_t>(*value));
    } else if (const auto* text = std::get_if<std::string>(&dim)) {
      append_header(out, kDimParam, text->size());
      out += *text;
    }
  }
}

void append_type(std::string& out, const WrittenType& type) {
  const KindFields fields = fields_of(type.kind);
  if (fields.kind == 0) return;
  append_header(out, fields.kind, size_of_kind(type));
  if (has_elem(type)) {
    append_tag(out, kElemType, WireType::kVarint);
    append_varint(out, static_cast<uint64_t>(type.elem));
  }
  if (is_tensor(type) && type.has_shape) {
    append_header(out, kShape, size_of_shape(type));
    append_shape(out, type);
  }
  if (fields.element != 0 && type.element) {
    append_header(out, fields.element, size_of(*type.element));
    append_type(out, *type.element);
  }
}

bool is_type(const WireField& field) {
  return field.number == kType && field.type == static_cast<uint8_t>(WireType::kLength);
}

}  // namespace

WrittenDim written_dim(const DeclaredDim& dim) {
  switch (dim.kind) {
    case DeclaredDim::Kind::kUnnamed:
      return {};
    case DeclaredDim::Kind::kNumber:
      return dim.number;
    case DeclaredDim::Kind::kText:
      return std::string(dim.text);
  }
  return {};
}

std::string dim_text(const WrittenDim& dim) {
  if (const auto* number = std::get_if<int64_t>(&dim)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&dim);
  return text != nullptr ? *text : "?";
}

WrittenType written_type(const DeclaredType& declared) {
  WrittenType type{.kind = declared.kind,
                   .elem = declared.elem,
                   .has_shape = declared.has_shape,
                   .dims = {},
                   .element = nullptr};
  for (const DeclaredDim& dim : declared.dims) type.dims.push_back(written_dim(dim));
  if (declared.element) {
    type.element = std::make_shared<const WrittenType>(written_type(*declared.element));
  }
  return type;
}

bool same_type(const DeclaredType& declared, const WrittenType& written) {
  using Kind = DeclaredType::Kind;
  if (declared.kind != written.kind) return false;
  const bool tensor = declared.kind == Kind::kTensor || declared.kind == Kind::kSparseTensor;
  if ((tensor || declared.kind == Kind::kMap) && declared.elem != written.elem) return false;
  if (tensor) {
    if (declared.has_shape != written.has_shape || declared.dims.size() != written.dims.size()) {
      return false;
    }
    for (size_t i = 0; i < declared.dims.size(); ++i) {
      const DeclaredDim& dim = declared.dims[i];
      if (written_dim(dim) != written.dims[i]) return false;
    }
  }
  if ((declared.element == nullptr) != (written.element == nullptr)) return false;
  return declared.element == nullptr || same_type(*declared.element, *written.element);
}

std::string with_type(std::string_view value_info, const WrittenType& type) {
  // A message field that occurs twice is merged by readers.
  onnx::TypeProto proto;
  bool parsed = true;
  std::string_view rest = value_info;
  while (const std::optional<WireField> field = take_field(rest)) {
    if (!is_type(*field)) continue;
    onnx::TypeProto part;
    parsed = parsed &&
             part.ParseFromArray(field->content.data(), static_cast<int>(field->content.size()));
    proto.MergeFrom(part);
  }
  if (!parsed) proto.Clear();
  set_type(proto, type);
  const std::string written = proto.SerializeAsString();

  std::string result;
  bool done = written.empty();
  rest = value_info;
  while (const std::optional<WireField> field = take_field(rest)) {
    if (!is_type(*field)) {
      result += field->whole;
    } else if (!done) {
      append_field(result, kType, written);
      done = true;
    }
  }
  if (!done) append_field(result, kType, written);
  return result;
}

void append_value_info(std::string& out, uint32_t number, std::string_view name,
                       const WrittenType& type, std::string_view more) {
  const uint64_t type_size = size_of(type);
  append_header(out, number,
                field_size(kName, name.size()) + field_size(kType, type_size) + more.size());
  append_header(out, kName, name.size());
  out += name;
  append_header(out, kType, type_size);
  append_type(out, type);
  out += more;
}

}  // namespace onnx_shapes
