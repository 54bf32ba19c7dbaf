// What inference found out, as JSON (docs/report.md documents the members).
#pragma once

#include <string>

#include "diag/finding.h"
#include "infer/infer.h"

namespace onnx_shapes {

/// Raised when a member changes its meaning or goes away; new members do not raise it.
constexpr int kReportVersion = 1;

/// One JSON object with a line break at its end. Dims are in the author's words, as they are
/// written into the model.
[[nodiscard]] std::string inference_report(const Model& model, const Inference& inference,
                                           const Findings& findings);

}  // namespace onnx_shapes
