// Anchors: what the author declared against what was inferred.
#pragma once

#include "infer/infer.h"

namespace onnx_shapes {

/// Which anchors may sharpen what is written.
enum class Trust : uint8_t { kNone, kOutputs, kAll };

struct MergeOptions {
  Trust trust = Trust::kAll;
  bool use_value_info = true;  // false: existing value_info is to be forgotten
  bool drop_stale = false;     // contradicted value_info is going to be dropped, so it is no error
};

/// Compares each annotation of outputs and value_info, in every scope, with the fact that was
/// inferred for its value. A rank, type or dim that provably differs is a finding that names both
/// sides (SHP201 to SHP203). A dim that is not proved equal becomes an equality of the constraint
/// set, which holds in every run in which the annotation does, where it defines a symbol: one made
/// by inference, one that only annotations name, or an input symbol that names a compound. An
/// equality that would only restrict what the caller may choose is not recorded. Of an annotation
/// that contradicts, nothing is.
/// Returns the annotations that contradict, as indices into Model::annotations().
std::vector<uint32_t> merge_anchors(const Model& model, Inference& inference,
                                    const MergeOptions& options, Findings& findings);

}  // namespace onnx_shapes
