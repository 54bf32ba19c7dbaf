// What a printed text means, worked out from docs/semantics.md alone: plain arithmetic on numbers,
// without the parser, the printer or the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace onnx_shapes {

/// The number that the text has under the values of the names. Nothing if it is no text of the
/// printed grammar, a divisor is below 1, the operands of a broadcast do not fit, or a number in
/// between leaves 100 bits.
[[nodiscard]] std::optional<int64_t> evaluate_text(
    std::string_view text, const std::function<std::optional<int64_t>(std::string_view)>& value);

}  // namespace onnx_shapes
