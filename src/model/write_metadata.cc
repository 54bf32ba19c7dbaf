#include "model/write_metadata.h"

#include <onnx/onnx_pb.h>

#include "model/markers.h"
#include "wire/varint.h"

namespace onnx_shapes {
namespace {

constexpr uint32_t kMetadata = onnx::ValueInfoProto::kMetadataPropsFieldNumber;

bool has_key(const WireField& field, std::string_view key) {
  if (field.number != kMetadata || field.type != static_cast<uint8_t>(WireType::kLength)) {
    return false;
  }
  onnx::StringStringEntryProto entry;
  return entry.ParseFromArray(field.content.data(), static_cast<int>(field.content.size())) &&
         entry.key() == key;
}

}  // namespace

std::string metadata_field(std::string_view key, std::string_view value) {
  std::string field;
  if (value.empty()) return field;
  onnx::StringStringEntryProto entry;
  entry.set_key(std::string(key));
  entry.set_value(std::string(value));
  const std::string content = entry.SerializeAsString();
  append_tag(field, kMetadata, WireType::kLength);
  append_varint(field, content.size());
  return field + content;
}

std::string with_metadata(std::string_view value_info, std::string_view key,
                          std::string_view value) {
  const std::string written = metadata_field(key, value);
  std::string result;
  bool done = false;
  while (const std::optional<WireField> field = take_field(value_info)) {
    if (!has_key(*field, key)) {
      result += field->whole;
    } else if (!done) {
      result += written;
      done = true;
    }
  }
  return done ? result : result + written;
}

}  // namespace onnx_shapes
