#include "cli/report.h"

#include <unistd.h>

#include <cstdlib>

#include "diag/json_writer.h"
#include "diag/text_writer.h"

namespace onnx_shapes {

void print_findings(FILE* stream, const Findings& findings, std::string_view format,
                    Severity least) {
  if (format == "json") {
    std::fputs(to_json(findings).c_str(), stream);
    return;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const TextOptions options{
      .concise = format == "concise",
      .colour = isatty(fileno(stream)) == 1 && (no_colour == nullptr || *no_colour == '\0')};
  for (const Finding& finding : findings.all()) {
    if (finding.severity >= least) std::fputs(to_text(finding, options).c_str(), stream);
  }
}

}  // namespace onnx_shapes
