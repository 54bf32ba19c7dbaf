// The functions that may be called in an expression text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "expr/parse_ratio.h"

namespace onnx_shapes {

struct TextFunction {
  std::string_view name;
  size_t min_arguments = 1;
  size_t max_arguments = 1;
  /// The number of arguments is within the limits.
  RatioResult (*apply)(std::span<const Ratio> arguments) = nullptr;
};

/// The function of that name, or null.
[[nodiscard]] const TextFunction* find_text_function(std::string_view name);

}  // namespace onnx_shapes
