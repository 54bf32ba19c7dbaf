// Every value and its shape, as lines of text.
#pragma once

#include <string>

#include "infer/infer.h"

namespace onnx_shapes {

/// The values of each scope in order, a line each: role, name, type and shape in the author's
/// words. Functions of operator schemas are left out; names are made fit for a terminal.
[[nodiscard]] std::string listing(const Model& model, const Inference& inference);

}  // namespace onnx_shapes
