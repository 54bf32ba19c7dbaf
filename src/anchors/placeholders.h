// Texts that stand where a dim's name should, but were hardly meant as a name.
#pragma once

#include "model/model.h"

namespace onnx_shapes {

/// By the format every text is a name, and the same name means the same size everywhere. One
/// warning for each text that is a placeholder (`?`: SHP302) or a number (`"1"`: SHP303), at the
/// first place that has it.
void report_placeholders(const Model& model, Findings& findings);

}  // namespace onnx_shapes
