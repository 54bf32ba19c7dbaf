// Turns TypeProto messages into declared types. Nesting is bounded by the protobuf parser's limit.
#include "model/declared_type.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace onnx_shapes {
namespace {

class TypeReader {
 public:
  TypeReader(uint32_t max_rank, std::vector<TypeFault>& faults)
      : max_rank_(max_rank), faults_(faults) {}

  DeclaredType read(const onnx::TypeProto& type) {
    DeclaredType result;
    switch (type.value_case()) {
      case onnx::TypeProto::kTensorType:
        result.kind = DeclaredType::Kind::kTensor;
        read_tensor(type.tensor_type(), result);
        break;
      case onnx::TypeProto::kSparseTensorType:
        result.kind = DeclaredType::Kind::kSparseTensor;
        read_tensor(type.sparse_tensor_type(), result);
        break;
      case onnx::TypeProto::kSequenceType:
        result.kind = DeclaredType::Kind::kSequence;
        read_element(type.sequence_type(), "sequence", result);
        break;
      case onnx::TypeProto::kOptionalType:
        result.kind = DeclaredType::Kind::kOptional;
        read_element(type.optional_type(), "optional", result);
        break;
      case onnx::TypeProto::kMapType:
        result.kind = DeclaredType::Kind::kMap;
        result.elem = read_elem(type.map_type().key_type());
        if (type.map_type().has_value_type()) {
          result.element = std::make_shared<DeclaredType>(read(type.map_type().value_type()));
        }
        break;
      case onnx::TypeProto::kOpaqueType:
        result.kind = DeclaredType::Kind::kOpaque;
        break;
      case onnx::TypeProto::VALUE_NOT_SET:
        break;
    }
    return result;
  }

 private:
  void fault(Code code, std::string message, std::string help = {},
             std::optional<int64_t> axis = {}) {
    faults_.push_back({code, std::move(message), std::move(help), axis});
  }

  ElemType read_elem(int32_t number) {
    const ElemType elem = elem_type(number);
    if (elem == ElemType::kUndefined && number != 0) {
      fault(Code::kMalformedType, fmt::format("there is no element type {}", number));
    }
    return elem;
  }

  void read_tensor(const auto& tensor, DeclaredType& result) {
    result.elem = read_elem(tensor.elem_type());
    if (!tensor.has_shape()) return;
    const auto rank = static_cast<uint64_t>(tensor.shape().dim_size());
    if (rank > max_rank_) {
      fault(Code::kLimitRank,
            fmt::format("the declared rank {} is above the limit of {}; the shape is taken as "
                        "unknown",
                        rank, max_rank_),
            "raise it with --max-rank");
      return;
    }
    result.has_shape = true;
    result.dims.resize(rank);
    for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
      result.dims[static_cast<size_t>(axis)] = read_dim(tensor.shape().dim(axis), axis);
    }
  }

  DeclaredDim read_dim(const onnx::TensorShapeProto::Dimension& dim, int axis) {
    if (dim.has_dim_value()) {
      if (dim.dim_value() >= 0) {
        return {.kind = DeclaredDim::Kind::kNumber, .number = dim.dim_value(), .text = {}};
      }
      fault(Code::kNegativeDim,
            fmt::format("dim_value {} is not a size; the dim is taken as unnamed", dim.dim_value()),
            "give the dim a name (dim_param), or leave it empty", axis);
      return {.kind = DeclaredDim::Kind::kUnnamed, .number = dim.dim_value(), .text = {}};
    } else if (dim.has_dim_param() && !dim.dim_param().empty()) {
      return {.kind = DeclaredDim::Kind::kText, .number = 0, .text = dim.dim_param()};
    }
    return {};
  }

  void read_element(const auto& container, std::string_view what, DeclaredType& result) {
    if (container.has_elem_type()) {
      result.element = std::make_shared<DeclaredType>(read(container.elem_type()));
    } else {
      fault(Code::kMalformedType, fmt::format("the {} type has no element type", what));
    }
  }

  uint32_t max_rank_;
  std::vector<TypeFault>& faults_;
};

}  // namespace

DeclaredType read_type(const onnx::TypeProto& type, uint32_t max_rank,
                       std::vector<TypeFault>& faults) {
  return TypeReader(max_rank, faults).read(type);
}

}  // namespace onnx_shapes
