// What bounds the dims that are not exact, as metadata of their annotations.
#pragma once

#include "infer/infer.h"
#include "model/annotate.h"

namespace onnx_shapes {

/// Adds to `changes` the bounds of every output and value_info that remains or is added:
/// `{"1":{"at_most":["M*N"]}}`, by axis (docs/report.md). Where none are known, none are written.
void write_bounds(const Model& model, const Inference& inference, AnnotationChanges& changes);

/// Adds to `changes` that no annotation has bounds.
void remove_bounds(const Model& model, AnnotationChanges& changes);

}  // namespace onnx_shapes
