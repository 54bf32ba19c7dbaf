// Prints findings the way the user asked for.
#pragma once

#include <cstdio>
#include <string_view>

#include "diag/finding.h"

namespace onnx_shapes {

/// `format` is text, concise or json. Findings below `least` are not printed. Colour is used on a
/// terminal unless NO_COLOR is set.
void print_findings(FILE* stream, const Findings& findings, std::string_view format,
                    Severity least);

}  // namespace onnx_shapes
