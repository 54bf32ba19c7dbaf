// Identifiers, and the quoting of what is none.
#include "expr/print_names.h"

#include <algorithm>

#include "expr/text.h"

namespace onnx_shapes {

std::string quoted(std::string_view name) {
  std::string text = "'";
  for (const char c : name) {
    text += c;
    if (c == '\'') text += c;
  }
  return text + "'";
}

std::string unquoted(std::string_view text) {
  std::string name;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    name += text[i];
    if (text[i] == '\'') ++i;
  }
  return name;
}

bool is_identifier(std::string_view name) {
  return !name.empty() && starts_name(name.front()) &&
         std::all_of(name.begin(), name.end(), continues_name);
}

}  // namespace onnx_shapes
