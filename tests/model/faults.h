// Compares what loading a model reports with what it must report.
#pragma once

#include <string>
#include <vector>

#include "tests/support/text_model.h"

namespace onnx_shapes::test {

/// Each expectation is a code and words, `SHP006 'q' Add_0`: exactly one finding of that code has
/// all the words in its place or message. There are no other findings.
inline std::string check_faults(const Findings& findings,
                                const std::vector<std::string>& expectations) {
  std::vector<bool> met(findings.all().size());
  std::string wrong;
  for (const std::string& expectation : expectations) {
    bool found = false;
    for (size_t i = 0; i < met.size() && !found; ++i) {
      const Finding& finding = findings.all()[i];
      const std::string text =
          code_id(finding.code) + " " + to_string(finding.place) + " " + finding.message;
      found = !met[i];
      for (size_t at = 0; at < expectation.size();) {
        const size_t end = std::min(expectation.find(' ', at), expectation.size());
        found = found && text.find(expectation.substr(at, end - at)) != std::string::npos;
        at = end + 1;
      }
      met[i] = met[i] || found;
    }
    if (!found) wrong += "missing: " + expectation + "\n";
  }
  for (size_t i = 0; i < met.size(); ++i) {
    if (met[i]) continue;
    const Finding& finding = findings.all()[i];
    wrong += "not expected: " + code_id(finding.code) + " " + to_string(finding.place) + " " +
             finding.message + "\n";
  }
  return wrong;
}

struct FaultCase {
  std::string name;
  std::string text;  // after the header of with_header()
  std::vector<std::string> expectations;
  std::function<void(onnx::ModelProto&)> change = {};
};

inline void run_fault_cases(const std::vector<FaultCase>& cases) {
  for (const FaultCase& row : cases) {
    INFO(row.name);
    LoadedModel model = load_text(with_header(row.text), row.change);
    CHECK(model.model.has_value());
    CHECK(check_faults(model.findings, row.expectations) == "");
  }
}

}  // namespace onnx_shapes::test
