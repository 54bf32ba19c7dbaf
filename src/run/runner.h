// Runs a model: what the stages after this one know of an engine.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/slice.h"
#include "model/value_file.h"

namespace onnx_shapes {

/// The whole contents of an input.
struct RunInput {
  DeclaredType::Kind kind = DeclaredType::Kind::kTensor;  // kSequence, kOptional
  std::string name;
  ElemType elem = ElemType::kUndefined;
  std::vector<int64_t> dims;
  std::vector<uint8_t> bytes;        // of a tensor in row-major order, as raw_data has them
  std::vector<std::string> strings;  // of a tensor of strings, instead
  std::vector<RunInput> elements;    // of a sequence; of an optional, one or none
};

struct RunLimits {
  ValueLimits contents;  // of outputs
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

class Runner {
 public:
  virtual ~Runner() = default;
  /// Runs the slice with its inputs, in their order, and gives its outputs in theirs: of each the
  /// type and dims, and contents where they are no more than the limits. The failure is what the
  /// engine complains of, or that the deadline has passed.
  [[nodiscard]] virtual Result<std::vector<StoredValue>, std::string> run(
      const ModelSlice& slice, std::span<const RunInput> inputs, const RunLimits& limits) = 0;
};

/// ONNX Runtime. Its library is loaded now: the one that the environment variable
/// ONNX_SHAPES_ONNXRUNTIME names, or else the one that was found when this program was built, or
/// where the system looks for libraries. The failure is a finding (SHP707) that says how to get it.
[[nodiscard]] Expected<std::unique_ptr<Runner>> load_onnxruntime();

/// The finding, with what is missing.
[[nodiscard]] Finding onnxruntime_missing(std::string what);

}  // namespace onnx_shapes
