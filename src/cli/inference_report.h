// What inference found out, as JSON or as text (docs/report.md documents both).
#pragma once

#include <string>

#include "anchors/decide.h"
#include "diag/finding.h"
#include "infer/infer.h"

namespace onnx_shapes {

/// Raised when a member changes its meaning or goes away; new members do not raise it.
constexpr int kReportVersion = 1;

/// What a report speaks of: an inference after merge_anchors, and what is to be written.
struct Reported {
  const Model& model;
  const Inference& inference;
  const std::vector<PublicChange>& public_changes;
  const Findings& findings;
};

/// One JSON object with a line break at its end. Dims are in the author's words, as they are
/// written into the model.
[[nodiscard]] std::string json_report(const Reported& reported);

/// The same for people, fit for a terminal.
[[nodiscard]] std::string text_report(const Reported& reported);

/// A line for each: `output y axis 1: ? is now N`.
[[nodiscard]] std::string public_changes_text(const Model& model,
                                              const std::vector<PublicChange>& changes);

}  // namespace onnx_shapes
