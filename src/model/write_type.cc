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
      const bool size_below_0 = dim.kind == DeclaredDim::Kind::kUnnamed && dim.number < 0;
      if (size_below_0 || written_dim(dim) != written.dims[i]) return false;
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

std::string new_value_info(std::string_view name, const WrittenType& type) {
  onnx::TypeProto proto;
  set_type(proto, type);
  std::string result;
  append_field(result, kName, name);
  append_field(result, kType, proto.SerializeAsString());
  return result;
}

}  // namespace onnx_shapes
