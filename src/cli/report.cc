#include "cli/report.h"

#include <fmt/format.h>

namespace onnx_shapes {

void print_findings(FILE* stream, const Findings& findings, std::string_view /*format*/,
                    Severity least) {
  for (const Finding& finding : findings.all()) {
    if (finding.severity < least) continue;
    fmt::print(stream, "{}: {} {}: {}\n", to_string(finding.place), code_id(finding.code),
               code_name(finding.code), finding.message);
  }
}

}  // namespace onnx_shapes
