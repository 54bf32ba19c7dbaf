// Reads the fields of small messages one by one.
#include "model/markers.h"

#include "wire/varint.h"

namespace onnx_shapes {
namespace {

class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes)
      : begin_(reinterpret_cast<const uint8_t*>(bytes.data())),
        at_(begin_),
        end_(begin_ + bytes.size()) {}

  bool read(WireField& field) {
    if (!read_one(field)) return false;
    // A group ends at its own end tag; groups inside it are counted.
    for (uint32_t depth = is(field, WireType::kGroup) ? 1 : 0; depth > 0;) {
      WireField inner;
      if (!read_one(inner)) return false;
      if (is(inner, WireType::kGroup)) ++depth;
      if (is(inner, WireType::kEndGroup)) --depth;
    }
    field.whole = {reinterpret_cast<const char*>(begin_), static_cast<size_t>(at_ - begin_)};
    return true;
  }

 private:
  static bool is(const WireField& field, WireType type) {
    return field.type == static_cast<uint8_t>(type);
  }

  bool skip(uint64_t size) {
    if (size > static_cast<uint64_t>(end_ - at_)) return false;
    at_ += size;
    return true;
  }

  bool read_one(WireField& field) {
    uint64_t tag = 0;
    if (at_ == end_ || !read_varint(at_, end_, tag) || tag > UINT32_MAX) return false;
    field.number = static_cast<uint32_t>(tag >> 3U);
    field.type = static_cast<uint8_t>(tag & 7U);
    switch (static_cast<WireType>(field.type)) {
      case WireType::kVarint:
        return at_ != end_ && read_varint(at_, end_, field.varint);
      case WireType::kFixed64:
        return skip(8);
      case WireType::kFixed32:
        return skip(4);
      case WireType::kLength: {
        uint64_t size = 0;
        if (at_ == end_ || !read_varint(at_, end_, size)) return false;
        const auto* const content = reinterpret_cast<const char*>(at_);
        if (!skip(size)) return false;
        field.content = {content, static_cast<size_t>(size)};
        return true;
      }
      case WireType::kGroup:
      case WireType::kEndGroup:
        return true;
    }
    return false;
  }

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace

std::optional<WireField> take_field(std::string_view& bytes) {
  WireField field;
  if (!FieldReader(bytes).read(field)) return std::nullopt;
  bytes.remove_prefix(field.whole.size());
  return field;
}

std::vector<uint64_t> unknown_varints(std::string_view unknown_fields, uint32_t number) {
  std::vector<uint64_t> values;
  while (const std::optional<WireField> field = take_field(unknown_fields)) {
    if (field->number == number && field->type == static_cast<uint8_t>(WireType::kVarint)) {
      values.push_back(field->varint);
    }
  }
  return values;
}

}  // namespace onnx_shapes
