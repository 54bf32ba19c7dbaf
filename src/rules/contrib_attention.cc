#include "rules/rules.h"

namespace onnx_shapes {

std::span<const Family> contrib_attention_family() { return {}; }

}  // namespace onnx_shapes
