#include "cli/shared.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "cli/cli.h"

namespace onnx_shapes {

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (printed_) std::fputs("\r\033[K", stderr);
}

void Progress::operator()(uint64_t nodes) {
  if (!shown_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(200);
  printed_ = true;
  fmt::print(stderr, "\rinferring: {} nodes", nodes);
  std::fflush(stderr);
}

int usage(const std::string& complaint) {
  fmt::print(stderr, "onnx-shapes: {}\n", complaint);
  return kExitUsage;
}

std::optional<std::string> read_dims(const std::vector<std::string>& texts, const Model& model,
                                     DeclareOptions& options) {
  for (const std::string& text : texts) {
    const size_t equals = text.rfind('=');
    int64_t number = -1;
    if (equals != std::string::npos) {
      const char* end = text.data() + text.size();
      const auto read = std::from_chars(text.data() + equals + 1, end, number);
      if (read.ec != std::errc() || read.ptr != end) number = -1;
    }
    if (equals == 0 || number < 0) {
      return fmt::format("--dim takes NAME=NUMBER with a number of at least 0, not '{}'", text);
    }
    options.numbers[text.substr(0, equals)] = number;
  }
  std::vector<std::string> unused;
  for (const auto& [name, number] : options.numbers) {
    if (!declares(model, name)) unused.push_back("'" + name + "'");
  }
  if (unused.empty()) return std::nullopt;
  return fmt::format("--dim names {}, which no annotation of the model has",
                     fmt::join(unused, " and "));
}

Severity least_shown(bool quiet, bool verbose) {
  if (quiet) return Severity::kError;
  return verbose ? Severity::kNote : Severity::kWarning;
}

int exit_code(const Findings& findings, std::string_view fail_on) {
  for (const Finding& finding : findings.all()) {
    if (finding.code == Code::kFileUnreadable || finding.code == Code::kFileUnwritable ||
        finding.code == Code::kNotAModel || finding.code == Code::kTruncated) {
      return kExitUsage;
    }
    const bool limit = finding.code >= Code::kLimitNesting && finding.code <= Code::kLimitSize;
    if (limit || finding.code == Code::kInternalError) return kExitInternal;
  }
  if (fail_on == "never") return kExitClean;
  const Severity least = fail_on == "note"      ? Severity::kNote
                         : fail_on == "warning" ? Severity::kWarning
                                                : Severity::kError;
  return findings.count(least) > 0 ? kExitFindings : kExitClean;
}

}  // namespace onnx_shapes
