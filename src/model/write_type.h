// Writes types into ValueInfoProto messages.
#pragma once

#include <string>
#include <string_view>

#include "model/annotate.h"

namespace onnx_shapes {

/// Whether writing the type would change nothing of what the author declared.
[[nodiscard]] bool same_type(const DeclaredType& declared, const WrittenType& written);

/// The content of a ValueInfoProto with its type set: every other field stays as it is, byte for
/// byte, and of the old type what still fits (denotations, unknown fields). A type of kind kNone
/// leaves the message without one.
[[nodiscard]] std::string with_type(std::string_view value_info, const WrittenType& type);

/// Appends a field of that number that holds a new ValueInfoProto, which ends in `more` fields.
void append_value_info(std::string& out, uint32_t number, std::string_view name,
                       const WrittenType& type, std::string_view more = {});

}  // namespace onnx_shapes
