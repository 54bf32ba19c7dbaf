// Recognises what a file that is no ONNX model is instead.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace onnx_shapes {

struct Lookalike {
  std::string_view what;  // "a gzip archive"
  std::string_view help;  // what to do; may be empty
};

/// Nothing if the bytes look like none of the known kinds.
[[nodiscard]] std::optional<Lookalike> sniff(std::span<const uint8_t> bytes);

}  // namespace onnx_shapes
