// How names are written in expression texts.
#pragma once

#include <string>
#include <string_view>

namespace onnx_shapes {

/// `'name'`; a quote within the name is doubled.
[[nodiscard]] std::string quoted(std::string_view name);
/// The name that a text of that form stands for.
[[nodiscard]] std::string unquoted(std::string_view text);

[[nodiscard]] constexpr bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool continues_name(char c) {
  return starts_name(c) || is_digit(c) || c == '.';
}

}  // namespace onnx_shapes
