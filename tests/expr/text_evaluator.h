// What a printed text means, worked out from docs/semantics.md alone: plain arithmetic on numbers,
// without the parser, the printer or the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace onnx_shapes {

struct TextValue {
  /// Nothing if it is no text of the printed grammar, a divisor is below 1, or the operands of a
  /// broadcast do not fit.
  std::optional<int64_t> number;
  /// A number on the way left 100 bits, or the result 64; then there is no number.
  bool is_too_large = false;
};

/// What the text is under the values of the names.
[[nodiscard]] TextValue evaluate_text(
    std::string_view text, const std::function<std::optional<int64_t>(std::string_view)>& value);

}  // namespace onnx_shapes
