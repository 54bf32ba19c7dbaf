// Reads the fields of a protobuf message one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "wire/varint.h"

namespace onnx_shapes {

struct FieldView {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;                // kVarint, kFixed64, kFixed32
  std::span<const uint8_t> content;  // kLength
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(content.data()), content.size()};
  }
};

[[nodiscard]] inline uint64_t little_endian(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8U | bytes[i];
  return value;
}

/// Groups are no part of ONNX: this reader takes them for a fault.
class FieldReader {
 public:
  explicit FieldReader(std::span<const uint8_t> message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// False at the end of the message, and where what follows is no field.
  bool next(FieldView& field) {
    uint64_t tag = 0;
    if (at_ == end_ || !number(tag, kMaxTagSize)) return false;
    if (tag > UINT32_MAX || tag < 8) return fail();
    field.number = static_cast<uint32_t>(tag >> 3U);
    field.type = static_cast<WireType>(tag & 7U);
    switch (field.type) {
      case WireType::kVarint:
        return number(field.value, kMaxVarintSize);
      case WireType::kFixed64:
        return fixed(field.value, sizeof(uint64_t));
      case WireType::kFixed32:
        return fixed(field.value, sizeof(uint32_t));
      case WireType::kLength: {
        uint64_t size = 0;
        if (!number(size, kMaxLengthSize) || size > static_cast<uint64_t>(end_ - at_)) {
          return fail();
        }
        field.content = {at_, static_cast<size_t>(size)};
        at_ += size;
        return true;
      }
      default:
        return fail();
    }
  }

  /// Whether all of the message has been read, without a fault.
  [[nodiscard]] bool ended() const { return at_ == end_ && !failed_; }

 private:
  /// Bytes of a length that protobuf's own parser takes.
  static constexpr uint32_t kMaxLengthSize = 5;

  bool fail() {
    failed_ = true;
    return false;
  }

  // Nearly all numbers have one byte.
  bool number(uint64_t& value, uint32_t max_size) {
    if (at_ != end_ && *at_ < 0x80) {
      value = *at_++;
      return true;
    }
    const uint8_t* const begin = at_;
    return (read_varint(at_, end_, value) && at_ - begin <= max_size) || fail();
  }

  bool fixed(uint64_t& value, size_t size) {
    if (static_cast<size_t>(end_ - at_) < size) return fail();
    value = little_endian({at_, size});
    at_ += size;
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

/// Reads the numbers of a packed field, as FieldReader reads fields.
class PackedReader {
 public:
  explicit PackedReader(std::span<const uint8_t> content)
      : at_(content.data()), end_(content.data() + content.size()) {}
  bool next(uint64_t& value) {
    if (at_ == end_) return false;
    failed_ = !read_varint(at_, end_, value);
    return !failed_;
  }
  [[nodiscard]] bool ended() const { return at_ == end_ && !failed_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

}  // namespace onnx_shapes
