#include "diag/github_writer.h"

#include <fmt/format.h>

#include <string_view>

#include "diag/printable.h"
#include "diag/text_writer.h"

namespace onnx_shapes {
namespace {

/// The runner takes these four apart again: in a value `%`, CR and LF, in a property also `:` and
/// `,`, which separate properties.
std::string escaped(std::string_view text, std::string_view separators) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || separators.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view command(Severity severity) {
  return severity == Severity::kNote ? "notice" : severity_name(severity);
}

}  // namespace

std::string to_github(const Finding& finding) {
  Place within = finding.place;
  within.file.clear();
  std::string text = to_string(within);
  if (!text.empty()) text += ": ";
  text += printable(finding.message, LineBreaks::kKeep);
  for (const Note& note : finding.notes) {
    text += "\nnote: ";
    if (note.place) text += to_string(*note.place) + ": ";
    text += printable(note.message, LineBreaks::kKeep);
  }
  if (!finding.help.empty()) text += "\nhelp: " + printable(finding.help, LineBreaks::kKeep);
  std::string properties;
  if (!finding.place.file.empty()) {
    properties = "file=" + escaped(printable(finding.place.file), ":,") + ",";
  }
  properties += fmt::format("title={} {}", code_id(finding.code), code_name(finding.code));
  return fmt::format("::{} {}::{}\n", command(finding.severity), properties, escaped(text, ""));
}

}  // namespace onnx_shapes
