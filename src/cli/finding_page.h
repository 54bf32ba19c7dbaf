// The pages of docs/findings/, which the tool brings with it.
#pragma once

#include <string_view>

#include "diag/finding.h"

namespace onnx_shapes {

/// Markdown; empty if the code has no page.
[[nodiscard]] std::string_view finding_page(Code code);

}  // namespace onnx_shapes
