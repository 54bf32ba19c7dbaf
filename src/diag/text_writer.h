// Findings as text for people, in the manner of a compiler.
#pragma once

#include <string>
#include <string_view>

#include "diag/finding.h"

namespace onnx_shapes {

struct TextOptions {
  bool concise = false;  // one line a finding: place, severity, code and message
  bool colour = false;   // with the terminal's colour sequences
};

/// The finding, with a line break at its end. Text from the model is made fit for a terminal.
///
///     model.onnx:graph/Add_1:output y[axis 1]: error SHP203 dim-contradiction: what is wrong
///         y = Add(a, b)
///       model.onnx:graph:input a[axis 1]: note: declared here
///       help: what to do
[[nodiscard]] std::string to_text(const Finding& finding, const TextOptions& options);

/// All of them in order, and a line that says how many were dropped because of the cap.
[[nodiscard]] std::string to_text(const Findings& findings, const TextOptions& options);

/// "1 error", "2 errors"
[[nodiscard]] std::string counted(size_t count, std::string_view noun);

/// "2 errors, 1 warning"; empty if there is none.
[[nodiscard]] std::string count_text(const Findings& findings);

/// "error", "warning", "note": the same in every format.
[[nodiscard]] std::string_view severity_name(Severity severity);

}  // namespace onnx_shapes
