// Text of a model made fit for a terminal: names in hostile files may hold control characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace onnx_shapes {

enum class LineBreaks : uint8_t { kEscape, kKeep };

/// The text with control characters and bytes that are not UTF-8 written as `\x1b`.
[[nodiscard]] std::string printable(std::string_view text,
                                    LineBreaks line_breaks = LineBreaks::kEscape);

}  // namespace onnx_shapes
