// Findings in the Static Analysis Results Interchange Format, for code scanning services.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "diag/file_findings.h"

namespace onnx_shapes {

struct SarifOptions {
  std::string version;  // of this tool
  int exit_code = 0;
  /// The page of a code as Markdown; empty if there is none.
  std::function<std::string_view(Code)> page;
};

/// One SARIF 2.1.0 log with one run, with a line break at its end. The rules are those of the code
/// table. A result's place within the model is a logical location, since a model has no lines; the
/// region is the first line because GitHub shows no result without one.
[[nodiscard]] std::string to_sarif(std::span<const FileFindings> files,
                                   const SarifOptions& options);

}  // namespace onnx_shapes
