// The message fields of onnx.proto (IR version 13), as a table by parent and number.
#include "wire/onnx_fields.h"

#include <array>
#include <cstddef>

namespace onnx_shapes {
namespace {

using Kind = MessageKind;

constexpr MessageField kFields[] = {
    {Kind::kModel, 7, Kind::kGraph, false, "graph"},
    {Kind::kModel, 8, Kind::kLeaf, true, "opset_import"},
    {Kind::kModel, 14, Kind::kLeaf, true, "metadata_props"},
    {Kind::kModel, 20, Kind::kTrainingInfo, true, "training_info"},
    {Kind::kModel, 25, Kind::kFunction, true, "functions"},
    {Kind::kModel, 26, Kind::kLeaf, true, "configuration"},
    {Kind::kTrainingInfo, 1, Kind::kGraph, false, "initialization"},
    {Kind::kTrainingInfo, 2, Kind::kGraph, false, "algorithm"},
    {Kind::kTrainingInfo, 3, Kind::kLeaf, true, "initialization_binding"},
    {Kind::kTrainingInfo, 4, Kind::kLeaf, true, "update_binding"},
    {Kind::kGraph, 1, Kind::kNode, true, "node"},
    {Kind::kGraph, 5, Kind::kTensor, true, "initializer"},
    {Kind::kGraph, 11, Kind::kValueInfo, true, "input"},
    {Kind::kGraph, 12, Kind::kValueInfo, true, "output"},
    {Kind::kGraph, 13, Kind::kValueInfo, true, "value_info"},
    {Kind::kGraph, 14, Kind::kTensorAnnotation, true, "quantization_annotation"},
    {Kind::kGraph, 15, Kind::kSparseTensor, true, "sparse_initializer"},
    {Kind::kGraph, 16, Kind::kLeaf, true, "metadata_props"},
    {Kind::kFunction, 7, Kind::kNode, true, "node"},
    {Kind::kFunction, 9, Kind::kLeaf, true, "opset_import"},
    {Kind::kFunction, 11, Kind::kAttribute, true, "attribute_proto"},
    {Kind::kFunction, 12, Kind::kValueInfo, true, "value_info"},
    {Kind::kFunction, 14, Kind::kLeaf, true, "metadata_props"},
    {Kind::kNode, 5, Kind::kAttribute, true, "attribute"},
    {Kind::kNode, 9, Kind::kLeaf, true, "metadata_props"},
    {Kind::kNode, 10, Kind::kLeaf, true, "device_configurations"},
    {Kind::kAttribute, 5, Kind::kTensor, false, "t"},
    {Kind::kAttribute, 6, Kind::kGraph, false, "g"},
    {Kind::kAttribute, 10, Kind::kTensor, true, "tensors"},
    {Kind::kAttribute, 11, Kind::kGraph, true, "graphs"},
    {Kind::kAttribute, 14, Kind::kType, false, "tp"},
    {Kind::kAttribute, 15, Kind::kType, true, "type_protos"},
    {Kind::kAttribute, 22, Kind::kSparseTensor, false, "sparse_tensor"},
    {Kind::kAttribute, 23, Kind::kSparseTensor, true, "sparse_tensors"},
    {Kind::kSparseTensor, 1, Kind::kTensor, false, "values"},
    {Kind::kSparseTensor, 2, Kind::kTensor, false, "indices"},
    {Kind::kTensor, 3, Kind::kLeaf, false, "segment"},
    {Kind::kTensor, 13, Kind::kLeaf, true, "external_data"},
    {Kind::kTensor, 16, Kind::kLeaf, true, "metadata_props"},
    {Kind::kValueInfo, 2, Kind::kType, false, "type"},
    {Kind::kValueInfo, 4, Kind::kLeaf, true, "metadata_props"},
    {Kind::kType, 1, Kind::kTensorType, false, "tensor_type"},
    {Kind::kType, 4, Kind::kSequenceType, false, "sequence_type"},
    {Kind::kType, 5, Kind::kMapType, false, "map_type"},
    {Kind::kType, 7, Kind::kLeaf, false, "opaque_type"},
    {Kind::kType, 8, Kind::kTensorType, false, "sparse_tensor_type"},
    {Kind::kType, 9, Kind::kOptionalType, false, "optional_type"},
    {Kind::kTensorType, 2, Kind::kShape, false, "shape"},
    {Kind::kSequenceType, 1, Kind::kType, false, "elem_type"},
    {Kind::kMapType, 2, Kind::kType, false, "value_type"},
    {Kind::kOptionalType, 1, Kind::kType, false, "elem_type"},
    {Kind::kShape, 1, Kind::kLeaf, true, "dim"},
    {Kind::kTensorAnnotation, 2, Kind::kLeaf, true, "quant_parameter_tensor_names"},
};

constexpr size_t kKinds = static_cast<size_t>(Kind::kNone);
constexpr uint32_t kNumbers = 32;
constexpr MessageField kNoField;

using Table = std::array<std::array<uint8_t, kNumbers>, kKinds>;  // index into kFields + 1, or 0

constexpr Table kTable = [] {
  Table table{};
  uint8_t row = 0;
  for (const MessageField& field : kFields) {
    table[static_cast<size_t>(field.parent)][field.number] = ++row;
  }
  return table;
}();

}  // namespace

const MessageField& message_field(MessageKind parent, uint32_t number) {
  if (parent >= Kind::kNone || number >= kNumbers) return kNoField;
  const uint8_t row = kTable[static_cast<size_t>(parent)][number];
  return row == 0 ? kNoField : kFields[row - 1];
}

}  // namespace onnx_shapes
