// Which data an unknown size waits for.
#pragma once

#include <vector>

#include "infer/infer.h"

namespace onnx_shapes {

/// The values whose contents decide what the node leaves open: those that its rule asked for in
/// vain, else all inputs that are not constant.
[[nodiscard]] std::vector<ValueId> awaited_by(const Model& model, const Inference& inference,
                                              NodeId node);

/// The inputs of the main graph from whose contents those of the values are computed, in order of
/// declaration. What is computed from shapes alone needs no contents.
[[nodiscard]] std::vector<ValueId> data_inputs(const Model& model,
                                               const std::vector<ValueId>& values);

}  // namespace onnx_shapes
