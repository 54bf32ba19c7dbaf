// Reads parts of plain nodes (wire/plain_node.h), in which every field has its wire type. Private
// to model/.
#pragma once

#include <google/protobuf/arena.h>

#include <cstdint>
#include <span>
#include <vector>

#include "wire/field_reader.h"

namespace onnx_shapes {

/// The bytes as a message in the arena. A plain message has nothing that the parser could refuse.
template <class Message>
const Message& parsed(std::span<const uint8_t> content, google::protobuf::Arena& arena) {
  auto* const message = google::protobuf::Arena::CreateMessage<Message>(&arena);
  (void)message->ParseFromArray(content.data(), static_cast<int>(content.size()));
  return *message;
}

/// Appends the numbers of a repeated field, which may be packed.
inline void append_ints(const FieldView& field, std::vector<int64_t>& ints) {
  if (field.type == WireType::kVarint) {
    ints.push_back(static_cast<int64_t>(field.value));
    return;
  }
  PackedReader packed(field.content);
  for (uint64_t value = 0; packed.next(value);) ints.push_back(static_cast<int64_t>(value));
}

}  // namespace onnx_shapes
