// What stays unknown because tensor data decides it, and where that begins.
#pragma once

#include "infer/infer.h"

namespace onnx_shapes {

/// A note for each size that inference had to name (SHP403, with its bounds), at the node that
/// makes it, and for each value of unknown rank whose inputs have known ranks (SHP402): effects of
/// these are not reported again. Names that annotations have given a meaning are not unknown.
void report_unknowns(const Model& model, const Inference& inference, Findings& findings);

}  // namespace onnx_shapes
