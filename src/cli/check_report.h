// What `check` says of one model, besides its findings.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "check/execute.h"
#include "cli/check_command.h"

namespace onnx_shapes {

/// The verdicts of one run, or of all runs at once.
struct Checked {
  std::string source;  // the file with the inputs; empty for all runs
  CheckResult result;
  std::optional<Executed> executed;  // with --execute
};

/// As lines of text, and for --format json.
struct RunReport {
  std::string verdicts;  // with --verbose
  std::string bindings;  // with --bindings
  std::string summary;
  nlohmann::ordered_json json;  // null in another format
};

/// What the arguments ask for.
[[nodiscard]] RunReport report_of(const Model& model, const Checked& checked,
                                  const CheckArguments& arguments);

struct ModelReport {
  Findings findings;  // with --fix those that are left
  std::string fixes;  // with --fix or --diff: lines about what is changed
  std::vector<RunReport> runs;
  std::optional<std::string> complaint;  // about options that do not fit the model
};

/// Checks one model, and mends it with --fix; nothing is printed. Several threads may do that at
/// once. `progress`, if there is one, is called with the number of nodes now and then.
[[nodiscard]] ModelReport check_model(const std::string& path, const CheckArguments& arguments,
                                      const std::function<void(uint64_t)>& progress);

}  // namespace onnx_shapes
