// onnx-shapes explain MODEL VALUE[:AXIS]: why a dim reads as it does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "infer/probe.h"

namespace onnx_shapes {

/// What a text names: a value, and perhaps one of its axes.
struct Target {
  ValueId value = kNoId;
  std::optional<uint32_t> axis;
};

/// Reads VALUE or VALUE:AXIS. A name that holds a colon comes before one with an axis. A value
/// outside of the main graph is named by the path of its scope, `graph/If_0.then_branch/h`, or by
/// its name alone where no other value has it. The complaint if there is none, or more than one.
[[nodiscard]] Result<Target, std::string> find_target(const Model& model, std::string_view text);

/// The explanation, fit for a terminal. `inference` is what remains after merge_anchors.
[[nodiscard]] std::string explanation_text(const Model& model, const Inference& inference,
                                           Probe& probe, const Target& target);

}  // namespace onnx_shapes
