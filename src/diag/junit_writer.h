// Findings as a JUnit report, for build servers that show tests.
#pragma once

#include <span>
#include <string>

#include "diag/file_findings.h"

namespace onnx_shapes {

/// One XML document: a test suite a file, with a test case a finding. What fails by
/// FileFindings::fail_on is a failure, what kept the file from being checked an error; the rest
/// passes, with the finding as its output. A file without any has one test case that passes.
[[nodiscard]] std::string to_junit(std::span<const FileFindings> files);

}  // namespace onnx_shapes
