#include "cli/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/finding_page.h"
#include "cli/version.h"
#include "diag/github_writer.h"
#include "diag/json_writer.h"
#include "diag/junit_writer.h"
#include "diag/sarif_writer.h"
#include "diag/text_writer.h"

namespace onnx_shapes {

bool is_document(std::string_view format) {
  return format == "json" || format == "sarif" || format == "junit";
}

std::string document(std::span<const FileFindings> files, std::string_view format, int exit_code) {
  if (format == "sarif") {
    return to_sarif(files, {.version = kVersion, .exit_code = exit_code, .page = finding_page});
  }
  return format == "junit" ? to_junit(files) : to_json(files);
}

void print_findings(FILE* stream, const FileFindings& file, std::string_view format, Severity least,
                    int exit_code) {
  if (is_document(format)) {
    std::fputs(document({&file, 1}, format, exit_code).c_str(), stream);
    return;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const TextOptions options{
      .concise = format == "concise",
      .colour = isatty(fileno(stream)) == 1 && (no_colour == nullptr || *no_colour == '\0')};
  const Findings& findings = file.findings;
  size_t shown = 0;
  for (const Finding& finding : findings.all()) {
    // A stale entry of a baseline is told though it is a note: nothing else leads to it.
    const bool told = finding.code == Code::kBaselineStale && least == Severity::kWarning;
    if (finding.severity < least && !told) continue;
    ++shown;
    std::fputs((format == "github" ? to_github(finding) : to_text(finding, options)).c_str(),
               stream);
  }
  if (findings.suppressed() > 0) {
    fmt::print(stream, "{} more findings of the same codes are not shown\n", findings.suppressed());
  }
  if (shown > 1 && format == "text") fmt::print(stream, "{}\n", count_text(findings));
}

}  // namespace onnx_shapes
