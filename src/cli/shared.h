// What the commands that infer have in common.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/finding.h"
#include "infer/declare.h"

namespace onnx_shapes {

/// Shows the progress of long work on a terminal's standard error.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(uint64_t nodes);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool printed_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

/// Prints the complaint about a wrong use and returns its exit code.
int usage(const std::string& complaint);

/// Reads the texts NAME=NUMBER of --dim; the complaint if one is something else, or names what the
/// model does not declare.
[[nodiscard]] std::optional<std::string> read_dims(const std::vector<std::string>& texts,
                                                   const Model& model, DeclareOptions& options);

/// The least severity that is printed.
[[nodiscard]] Severity least_shown(bool quiet, bool verbose);

/// What the process ends with, by the findings; `fail_on` is error, warning, note or never.
[[nodiscard]] int exit_code(const Findings& findings, std::string_view fail_on);

}  // namespace onnx_shapes
