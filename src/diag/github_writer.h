// Findings as workflow commands, which GitHub Actions shows as annotations.
#pragma once

#include <string>

#include "diag/finding.h"

namespace onnx_shapes {

/// One line: `::error file=model.onnx,title=SHP203 dim-contradiction::place: message`. What a
/// workflow command cannot hold is escaped as the runner asks: `%0A` for a line break.
[[nodiscard]] std::string to_github(const Finding& finding);

}  // namespace onnx_shapes
