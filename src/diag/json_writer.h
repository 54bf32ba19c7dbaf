// Findings as JSON for programs.
#pragma once

#include <span>
#include <string>

#include "diag/file_findings.h"
#include "diag/finding.h"

namespace onnx_shapes {

/// Raised when a member changes its meaning or goes away; new members do not raise it.
constexpr int kJsonVersion = 1;

/// One JSON object, with a line break at its end:
///
///     {"version": 1,
///      "findings": [
///        {"code": "SHP203", "name": "dim-contradiction", "severity": "error",
///         "message": "...", "help": "...",
///         "place": {"path": "...", "file": "...", "graph": "...", "node": "...", "role": "...",
///                   "value": "...", "axis": 1, "offset": 17, "node_text": "..."},
///         "notes": [{"message": "...", "place": {...}}]}],
///      "counts": {"error": 1, "warning": 0, "note": 0, "suppressed": 0}}
///
/// Members of places and findings that have no value are left out; `path` is the place as all
/// formats print it. Names are as in the model; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const Findings& findings);

/// The findings of several files in one object, file after file, with a member more:
///
///      "files": [{"file": "...", "counts": {...}}]
[[nodiscard]] std::string to_json(std::span<const FileFindings> files);

}  // namespace onnx_shapes
