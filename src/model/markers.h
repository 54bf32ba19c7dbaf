// The varint fields that walk() adds to the skeleton: which payload was left out, which container a
// graph is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace onnx_shapes {

/// The values of a varint field among a message's unknown fields, in order. Other fields are
/// skipped; bytes that are not well-formed end the list.
[[nodiscard]] std::vector<uint64_t> unknown_varints(std::string_view unknown_fields,
                                                    uint32_t number);

/// One field of a message's bytes.
struct WireField {
  uint32_t number = 0;
  uint8_t type = 0;          // a WireType
  uint64_t varint = 0;       // its value, for kVarint
  std::string_view whole;    // tag and all
  std::string_view content;  // for kLength
};

/// Takes the first field off `bytes`; nothing at the end and where the bytes are not well-formed.
/// A group is one field.
[[nodiscard]] std::optional<WireField> take_field(std::string_view& bytes);

}  // namespace onnx_shapes
