// Lays out findings as lines of text.
#include "diag/text_writer.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>

#include "diag/printable.h"

namespace onnx_shapes {
namespace {

constexpr std::string_view kBold = "1";
constexpr std::string_view kRed = "1;31";
constexpr std::string_view kMagenta = "1;35";
constexpr std::string_view kCyan = "1;36";
constexpr std::string_view kGreen = "1;32";

std::string_view colour_of(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return kRed;
    case Severity::kWarning:
      return kMagenta;
    case Severity::kNote:
      return kCyan;
  }
  return kBold;
}

class Layout {
 public:
  explicit Layout(const TextOptions& options) : options_(options) {}

  std::string finding(const Finding& finding);

 private:
  [[nodiscard]] std::string painted(std::string_view text, std::string_view colour) const {
    return options_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", colour, text) : std::string(text);
  }
  void place(const Place& place) {
    const std::string path = to_string(place);
    if (!path.empty()) text_ += painted(path + ":", kBold) + " ";
  }
  void lines(std::string_view text, size_t indent);

  const TextOptions& options_;
  std::string text_;
};

std::string Layout::finding(const Finding& finding) {
  place(finding.place);
  text_ += painted(severity_name(finding.severity), colour_of(finding.severity));
  text_ += fmt::format(" {} {}: ", code_id(finding.code), code_name(finding.code));
  if (options_.concise) {
    text_ += printable(finding.message) + "\n";
    return std::move(text_);
  }
  lines(finding.message, 4);
  if (!finding.place.node_text.empty()) {
    text_ += "    ";
    lines(finding.place.node_text, 4);
  }
  for (const Note& note : finding.notes) {
    text_ += "  ";
    if (note.place) place(*note.place);
    text_ += painted("note:", kCyan) + " ";
    lines(note.message, 4);
  }
  if (!finding.help.empty()) {
    text_ += "  " + painted("help:", kGreen) + " ";
    lines(finding.help, 4);
  }
  return std::move(text_);
}

/// Appends the text, whose lines after the first are indented, and a line break.
void Layout::lines(std::string_view text, size_t indent) {
  for (const char c : printable(text, LineBreaks::kKeep)) {
    text_ += c;
    if (c == '\n') text_.append(indent, ' ');
  }
  text_ += '\n';
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string to_text(const Finding& finding, const TextOptions& options) {
  return Layout(options).finding(finding);
}

std::string to_text(const Findings& findings, const TextOptions& options) {
  std::string text;
  for (const Finding& finding : findings.all()) text += to_text(finding, options);
  if (findings.suppressed() > 0) {
    text += counted(findings.suppressed(), "further finding") + " of the same kinds not shown\n";
  }
  return text;
}

std::string count_text(const Findings& findings) {
  const size_t errors = findings.count(Severity::kError);
  const size_t warnings = findings.count(Severity::kWarning) - errors;
  const size_t notes = findings.all().size() - errors - warnings;
  std::string text;
  for (const auto& [count, severity] :
       {std::pair(errors, Severity::kError), std::pair(warnings, Severity::kWarning),
        std::pair(notes, Severity::kNote)}) {
    if (count == 0) continue;
    if (!text.empty()) text += ", ";
    text += counted(count, severity_name(severity));
  }
  return text;
}

}  // namespace onnx_shapes
