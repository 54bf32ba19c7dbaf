// Writes one entry of the metadata of ValueInfoProto messages.
#pragma once

#include <string>
#include <string_view>

namespace onnx_shapes {

/// The field of a ValueInfoProto that is one entry; nothing for an empty value.
[[nodiscard]] std::string metadata_field(std::string_view key, std::string_view value);

/// The content of a ValueInfoProto whose metadata has `value` under `key`, once; with an empty
/// value, nothing under it. Every other field stays as it is, byte for byte, and so does the place
/// of an entry that is there.
[[nodiscard]] std::string with_metadata(std::string_view value_info, std::string_view key,
                                        std::string_view value);

}  // namespace onnx_shapes
