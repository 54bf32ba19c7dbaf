// What a walk keeps of the messages that it is inside of, and of a field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/onnx_fields.h"
#include "wire/varint.h"
#include "wire/walk.h"

namespace onnx_shapes {

/// A message that has begun and not ended.
struct Frame {
  const MessageField* type = nullptr;
  MessageKind kind = MessageKind::kNone;
  uint32_t graphs = 0;  // graphs around the innermost graph
  uint32_t seen = 0;    // bit i: the field of number i was met, of those that are not repeated
  uint32_t length_size = 0;
  uint32_t message = kNoParent;  // index into WireIndex::messages, once it is there
  uint32_t container = kNoParent;
  uint32_t payload_pieces = 0;  // tensors: fields that hold elements
  FieldSpan field;
  size_t prefix_at = 0;               // in the skeleton
  std::optional<FieldSpan> left_out;  // tensors: the payload that the skeleton lacks
  size_t left_out_at = 0;             // in the skeleton
};

/// A field as its header tells.
struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint32_t length_size = 0;
  Span whole;
  Span content;  // kLength only
};

}  // namespace onnx_shapes
