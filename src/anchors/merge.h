// Anchors: what the author declared against what was inferred.
#pragma once

#include "infer/infer.h"

namespace onnx_shapes {

/// Which anchors may sharpen what is written.
enum class Trust : uint8_t { kNone, kOutputs, kAll };

/// Compares each annotation of outputs and value_info, in every scope, with the fact that was
/// inferred for its value. A rank, type or dim that provably differs is a finding that names both
/// sides (SHP201 to SHP203). A dim that is not proved equal becomes an equality of the constraint
/// set, which holds in every run in which the annotation does, where it defines a symbol: one made
/// by inference, one that only annotations name, or an input symbol that names a compound. An
/// equality that would only restrict what the caller may choose is not recorded.
/// `use_value_info` is false when existing value_info is to be forgotten.
void merge_anchors(const Model& model, Inference& inference, Trust trust, bool use_value_info,
                   Findings& findings);

}  // namespace onnx_shapes
