#include "cli/report.h"

#include <fmt/format.h>
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
  size_t shown = 0;
  for (const Finding& finding : findings.all()) {
    if (finding.severity < least) continue;
    ++shown;
    std::fputs(to_text(finding, options).c_str(), stream);
  }
  if (findings.suppressed() > 0) {
    fmt::print(stream, "{} more findings of the same codes are not shown\n", findings.suppressed());
  }
  if (shown > 1 && !options.concise) fmt::print(stream, "{}\n", count_text(findings));
}

}  // namespace onnx_shapes
