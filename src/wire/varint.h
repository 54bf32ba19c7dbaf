// Base-128 numbers and tags of the protobuf wire format.
#pragma once

#include <cstdint>
#include <string>

namespace onnx_shapes {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kLength = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

constexpr uint32_t kMaxVarintSize = 10;
constexpr uint32_t kMaxTagSize = 5;

/// Reads a number at `at`, which is below `end`, and moves `at` past it. False if it runs past
/// `end` or is longer than ten bytes; bits past the 64th are dropped, as protobuf does.
inline bool read_varint(const uint8_t*& at, const uint8_t* end, uint64_t& value) {
  const uint8_t* const start = at;
  value = 0;
  for (uint32_t shift = 0; at < end; shift += 7) {
    const uint8_t byte = *at++;
    value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return true;
    if (at - start == kMaxVarintSize) return false;
  }
  return false;
}

/// Bytes that the shortest form takes.
inline uint32_t varint_size(uint64_t value) {
  uint32_t size = 1;
  while (value >= 0x80) {
    value >>= 7U;
    ++size;
  }
  return size;
}

/// Appends the number in at least `width` bytes: overlong forms end in zero groups.
inline void append_varint(std::string& out, uint64_t value, uint32_t width = 1) {
  for (; value >= 0x80 || width > 1; value >>= 7U) {
    out += static_cast<char>((value & 0x7fU) | 0x80U);
    if (width > 1) --width;
  }
  out += static_cast<char>(value);
}

/// Writes a number of at most 7 * width bits over `width` bytes, in that overlong form.
inline void write_varint(char* out, uint64_t value, uint32_t width) {
  for (; width > 1; --width, value >>= 7U) *out++ = static_cast<char>((value & 0x7fU) | 0x80U);
  *out = static_cast<char>(value);
}

inline void append_tag(std::string& out, uint32_t number, WireType type) {
  append_varint(out, (uint64_t{number} << 3U) | static_cast<uint64_t>(type));
}

}  // namespace onnx_shapes
