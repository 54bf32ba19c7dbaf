// Decides by running what inference leaves undetermined in a run.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "check/check.h"
#include "run/runner.h"

namespace onnx_shapes {

/// Inference with what is known of the run, and the verdicts that come of it.
struct Judged {
  Inference inference;
  CheckResult result;
};
struct Computed {
  std::map<ValueId, GivenInput> values;
  std::map<ValueId, std::vector<GivenInput>> iterations;  // as InferOptions::iterations
};
/// Each call takes back what the one before it has found.
using JudgeRun = std::function<Judged(const Computed& computed)>;

/// Where the inputs of the run come from.
struct RunInputs {
  /// Whether the input has contents.
  std::function<bool(ValueId)> given;
  /// The whole contents of these inputs, in their order.
  std::function<Expected<std::vector<RunInput>>(const std::vector<ValueId>&)> read;
};

/// What was run.
struct Executed {
  size_t slices = 0;
  size_t nodes = 0;  // of all slices together
  size_t values = 0;
};

/// Judges; then cuts out of the model what computes the values that undetermined verdicts wait for,
/// runs it, and judges with what came of it, until nothing is undetermined or there is nothing more
/// to run. What cannot be run is SHP708, and what waits for it stays undetermined. Past the
/// deadline nothing runs.
[[nodiscard]] Judged judge_by_running(
    const Model& model, Runner& runner, const RunInputs& inputs, const JudgeRun& judge,
    const std::optional<std::chrono::steady_clock::time_point>& deadline, Executed& executed,
    Findings& findings);

}  // namespace onnx_shapes
