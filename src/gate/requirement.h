// --require: what must be known of every shape.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "infer/infer.h"

namespace onnx_shapes {

/// Each asks for what those before it ask, too.
enum class Requirement : uint8_t {
  kNone,
  kRanks,   // the rank of every value
  kNames,   // each dim: a number, or an expression in the author's names
  kStatic,  // each dim: a number
};

/// "none", "ranks", "names", "static"
[[nodiscard]] std::optional<Requirement> read_requirement(std::string_view text);

/// Reports what is known less well than required (SHP405), of the values of the main graph and of
/// its branches and loop bodies. What follows from a value or a name that was reported is not
/// reported again. Functions are left out: what is known in them is known per call.
/// The annotations have been merged into `inference`.
void require_known(const Model& model, const Inference& inference, Requirement requirement,
                   Findings& findings);

}  // namespace onnx_shapes
