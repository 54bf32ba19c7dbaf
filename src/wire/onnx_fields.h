// The sub-messages of onnx.proto, as far as a walk over the bytes needs them: which field of which
// message holds which message.
#pragma once

#include <cstdint>
#include <string_view>

namespace onnx_shapes {

/// The first eight can hold a graph or a tensor.
enum class MessageKind : uint8_t {
  kModel,
  kTrainingInfo,
  kGraph,
  kFunction,
  kNode,
  kAttribute,
  kSparseTensor,
  kTensor,
  kValueInfo,
  kType,
  kTensorType,  // of dense and sparse tensors
  kSequenceType,
  kMapType,
  kOptionalType,
  kShape,
  kTensorAnnotation,
  kLeaf,  // any message without sub-messages that matter here
  kNone,
};

[[nodiscard]] constexpr bool may_hold_payloads(MessageKind kind) {
  return kind <= MessageKind::kTensor;
}

/// A field that is a message.
struct MessageField {
  MessageKind parent = MessageKind::kNone;
  uint32_t number = 0;
  MessageKind kind = MessageKind::kNone;
  bool repeated = false;
  std::string_view name;
};

/// The field of that number; one of kind kNone if it is no message.
[[nodiscard]] const MessageField& message_field(MessageKind parent, uint32_t number);

/// Whether a TensorProto's field of that number holds elements.
[[nodiscard]] constexpr bool is_payload_field(uint32_t number) {
  return (number >= 4 && number <= 7) || (number >= 9 && number <= 11);
}
constexpr uint32_t kStringData = 6;
constexpr uint32_t kRawData = 9;

}  // namespace onnx_shapes
