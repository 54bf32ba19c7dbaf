#include "infer/schema_fallback_types.h"

#include <charconv>

namespace onnx_shapes {
namespace {

constexpr char kTableMark = '#';

void add_number(onnx::TensorProto& tensor, ElemType elem, const Scalar& element, int64_t number) {
  const double value = static_cast<double>(number) / static_cast<double>(element.denominator);
  switch (elem) {
    case ElemType::kFloat:
      tensor.add_float_data(static_cast<float>(value));
      break;
    case ElemType::kDouble:
      tensor.add_double_data(value);
      break;
    case ElemType::kInt64:
      tensor.add_int64_data(number);
      break;
    case ElemType::kUint64:
    case ElemType::kUint32:
      tensor.add_uint64_data(static_cast<uint64_t>(number));
      break;
    default:
      tensor.add_int32_data(static_cast<int32_t>(number));
      break;
  }
}

bool has_plain_data(ElemType elem) {
  return elem == ElemType::kFloat || elem == ElemType::kDouble || elem == ElemType::kBool ||
         is_integer(elem);
}

}  // namespace

void TypeTranslator::write(Dim dim, onnx::TensorShapeProto::Dimension& out) {
  if (!dim.known()) return;
  if (const std::optional<int64_t> number = dim.number()) {
    out.set_dim_value(*number);
    return;
  }
  out.set_dim_param(kTableMark + std::to_string(dims_.size()));
  dims_.push_back(dim);
}

template <class TensorType>
void TypeTranslator::write_tensor(const Fact& fact, TensorType& out) {
  out.set_elem_type(static_cast<int32_t>(fact.elem));
  if (!fact.shape) return;
  out.mutable_shape();
  for (const Dim dim : *fact.shape) write(dim, *out.mutable_shape()->add_dim());
}

onnx::TypeProto TypeTranslator::type(const Fact& fact) {
  onnx::TypeProto type;
  switch (fact.kind) {
    case FactKind::kUnknown:
      break;
    case FactKind::kTensor:
      write_tensor(fact, *type.mutable_tensor_type());
      break;
    case FactKind::kSparseTensor:
      write_tensor(fact, *type.mutable_sparse_tensor_type());
      break;
    case FactKind::kSequence:
      type.mutable_sequence_type();
      if (fact.element)
        *type.mutable_sequence_type()->mutable_elem_type() = this->type(*fact.element);
      break;
    case FactKind::kOptional:
      type.mutable_optional_type();
      if (fact.element)
        *type.mutable_optional_type()->mutable_elem_type() = this->type(*fact.element);
      break;
    case FactKind::kMap:
      type.mutable_map_type()->set_key_type(static_cast<int32_t>(fact.elem));
      if (fact.element) *type.mutable_map_type()->mutable_value_type() = this->type(*fact.element);
      break;
  }
  return type;
}

Shape TypeTranslator::dims(const onnx::TensorShapeProto& shape, bool sizes) const {
  Shape result;
  for (const auto& dim : shape.dim()) {
    Dim read;
    if (dim.has_dim_value()) {
      // A size below 0 is a -1 that an inference function has copied from data.
      if (!sizes || dim.dim_value() >= 0) read = pool_.constant(dim.dim_value());
    } else if (dim.has_dim_param() && dim.dim_param().starts_with(kTableMark)) {
      size_t index = 0;
      const std::string& text = dim.dim_param();
      const auto parsed = std::from_chars(text.data() + 1, text.data() + text.size(), index);
      if (parsed.ec == std::errc() && index < dims_.size()) read = dims_[index];
    }
    result.push_back(read);
  }
  return result;
}

template <class TensorType>
Fact TypeTranslator::read_tensor(FactKind kind, const TensorType& type) const {
  Fact fact;
  fact.kind = kind;
  fact.elem = elem_type(type.elem_type());
  if (type.has_shape()) fact.shape = dims(type.shape(), true);
  return fact;
}

Fact TypeTranslator::fact(const onnx::TypeProto& type) const {
  Fact fact;
  const auto nested = [&](const onnx::TypeProto& inner) {
    return std::make_shared<const Fact>(this->fact(inner));
  };
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      return read_tensor(FactKind::kTensor, type.tensor_type());
    case onnx::TypeProto::kSparseTensorType:
      return read_tensor(FactKind::kSparseTensor, type.sparse_tensor_type());
    case onnx::TypeProto::kSequenceType:
      fact.kind = FactKind::kSequence;
      fact.element = nested(type.sequence_type().elem_type());
      break;
    case onnx::TypeProto::kOptionalType:
      fact.kind = FactKind::kOptional;
      fact.element = nested(type.optional_type().elem_type());
      break;
    case onnx::TypeProto::kMapType:
      fact.kind = FactKind::kMap;
      fact.elem = elem_type(type.map_type().key_type());
      fact.element = nested(type.map_type().value_type());
      break;
    default:
      break;
  }
  return fact;
}

bool TypeTranslator::data(const Fact& fact, onnx::TensorProto& tensor) const {
  if (!fact.elements || !fact.shape || !has_plain_data(fact.elem)) return false;
  const std::optional<std::vector<int64_t>> sizes = static_shape(*fact.shape);
  if (!sizes) return false;
  tensor.set_data_type(static_cast<int32_t>(fact.elem));
  for (const int64_t size : *sizes) tensor.add_dims(size);
  for (const Scalar& element : *fact.elements) {
    const std::optional<int64_t> number = element.numerator.number();
    if (!number) return false;
    add_number(tensor, fact.elem, element, *number);
  }
  return true;
}

bool TypeTranslator::symbolic(const Fact& fact, onnx::TensorShapeProto& shape) {
  if (!fact.elements || !fact.shape || fact.shape->size() > 1 || !is_integer(fact.elem))
    return false;
  for (const Scalar& element : *fact.elements) write(element.integer(), *shape.add_dim());
  return true;
}

onnx::AttributeProto attribute_proto(const InferContext& ctx, const TypeTranslator& types,
                                     const Attribute& attribute, std::string_view name) {
  onnx::AttributeProto proto;
  proto.set_name(std::string(name));
  proto.set_type(static_cast<onnx::AttributeProto::AttributeType>(attribute.kind));
  switch (attribute.kind) {
    case AttributeKind::kFloat:
      proto.set_f(attribute.float_value);
      break;
    case AttributeKind::kInt:
      proto.set_i(attribute.int_value);
      break;
    case AttributeKind::kString:
      proto.set_s(std::string(attribute.string_value));
      break;
    case AttributeKind::kFloats:
      for (const float value : attribute.floats) proto.add_floats(value);
      break;
    case AttributeKind::kInts:
      for (const int64_t value : attribute.ints) proto.add_ints(value);
      break;
    case AttributeKind::kStrings:
      for (const std::string_view value : attribute.strings) proto.add_strings(std::string(value));
      break;
    case AttributeKind::kTensor:
      if (attribute.tensor != kNoId) {
        const Tensor& tensor = ctx.tensor(attribute.tensor);
        Fact fact = Fact::tensor(tensor.elem, ctx.lits(tensor.dims));
        fact.elements = ctx.tensor_elements(attribute.tensor);
        if (!types.data(fact, *proto.mutable_t())) {
          proto.clear_t();
          proto.mutable_t()->set_data_type(static_cast<int32_t>(tensor.elem));
          for (const int64_t dim : tensor.dims) proto.mutable_t()->add_dims(dim);
        }
      }
      break;
    case AttributeKind::kGraph:
      proto.mutable_g();
      break;
    default:
      break;
  }
  return proto;
}

}  // namespace onnx_shapes
