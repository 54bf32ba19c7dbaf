// Escapes what a terminal or a UTF-8 reader should not see.
#include "diag/printable.h"

#include <algorithm>

namespace onnx_shapes {
namespace {

unsigned byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

void append_escaped(std::string& out, unsigned byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

/// Length of the well-formed UTF-8 sequence at `at` that is not a control character, or 0.
size_t sequence_length(std::string_view text, size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() - at < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned second = byte_at(text, at + 1);
  const bool control = lead == 0xc2 && second < 0xa0;  // C1
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool too_large = lead == 0xf4 && second >= 0x90;
  return control || overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text, LineBreaks line_breaks) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t length = sequence_length(text, at);
    if (length > 0) {
      out.append(text, at, length);
    } else if (text[at] == '\n' && line_breaks == LineBreaks::kKeep) {
      out += '\n';
    } else {
      append_escaped(out, byte_at(text, at));
    }
    at += std::max<size_t>(1, length);
  }
  return out;
}

}  // namespace onnx_shapes
