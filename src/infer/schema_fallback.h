// The last resort for operators without a rule: the onnx library's function bodies and inference
// functions.
#pragma once

#include <memory>

#include "infer/infer.h"

namespace onnx_shapes {

/// Registers the schemas of a domain (25 to 40 ms for ai.onnx) when a node of it is asked for, and
/// not before. `model` gains the function bodies as scopes.
[[nodiscard]] std::unique_ptr<Fallback> make_schema_fallback(Model& model);

}  // namespace onnx_shapes
