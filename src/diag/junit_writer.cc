#include "diag/junit_writer.h"

#include <fmt/format.h>

#include <string_view>

#include "diag/printable.h"
#include "diag/text_writer.h"

namespace onnx_shapes {
namespace {

/// XML 1.0 has no form for control characters, nor for U+FFFE and U+FFFF: printable() has written
/// out the former; the latter are written out here.
std::string escaped(std::string_view text) {
  std::string out;
  const std::string shown = printable(text, LineBreaks::kKeep);
  for (size_t at = 0; at < shown.size(); ++at) {
    const std::string_view rest = std::string_view(shown).substr(at);
    if (rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf")) {
      out += rest[2] == '\xbe' ? "\\ufffe" : "\\uffff";
      at += 2;
      continue;
    }
    switch (shown[at]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      default:
        out += shown[at];
    }
  }
  return out;
}

struct Counts {
  size_t tests = 0;
  size_t failures = 0;
  size_t errors = 0;

  [[nodiscard]] std::string text() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  }
};

bool fails(const FileFindings& file, const Finding& finding) {
  return file.may_fail && finding.severity >= file.fail_on;
}

std::string test_case(const FileFindings& file, const Finding& finding, Counts& counts) {
  const std::string code = code_id(finding.code);
  Place within = finding.place;
  within.file.clear();
  std::string name = fmt::format("{} {}", code, code_name(finding.code));
  if (const std::string path = to_string(within); !path.empty()) name += ": " + path;
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n",
                                 escaped(file.file), escaped(name));
  const std::string body = escaped(to_text(finding, {}));
  ++counts.tests;
  const bool error = is_unchecked(finding.code);
  if (error || fails(file, finding)) {
    ++(error ? counts.errors : counts.failures);
    const std::string_view element = error ? "error" : "failure";
    text += fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, code,
                        escaped(finding.message), body);
  } else {
    text += fmt::format("      <system-out>{}</system-out>\n", body);
  }
  return text + "    </testcase>\n";
}

}  // namespace

std::string to_junit(std::span<const FileFindings> files) {
  Counts all;
  std::string suites;
  for (const FileFindings& file : files) {
    Counts counts;
    std::string cases;
    for (const Finding& finding : file.findings.all()) cases += test_case(file, finding, counts);
    if (cases.empty()) {
      cases = fmt::format("    <testcase classname=\"{}\" name=\"no findings\"/>\n",
                          escaped(file.file));
      counts.tests = 1;
    }
    suites += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escaped(file.file),
                          counts.text(), cases);
    all.tests += counts.tests;
    all.failures += counts.failures;
    all.errors += counts.errors;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"onnx-shapes\" "
      "{}>\n{}</testsuites>\n",
      all.text(), suites);
}

}  // namespace onnx_shapes
