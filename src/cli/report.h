// Prints findings the way the user asked for.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "diag/file_findings.h"

namespace onnx_shapes {

/// The values of --format.
constexpr std::string_view kFormats[] = {"text", "concise", "json", "sarif", "github", "junit"};

/// Whether the format is one document about all files and all findings, whatever their severity:
/// json, sarif and junit.
[[nodiscard]] bool is_document(std::string_view format);

/// The document of that format.
[[nodiscard]] std::string document(std::span<const FileFindings> files, std::string_view format,
                                   int exit_code);

/// Prints the findings of one file, line by line or as a document of their own. What is below
/// `least` is left out of lines. Colour is used on a terminal unless NO_COLOR is set.
void print_findings(FILE* stream, const FileFindings& file, std::string_view format, Severity least,
                    int exit_code);

}  // namespace onnx_shapes
