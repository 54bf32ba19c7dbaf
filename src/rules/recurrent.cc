#include "rules/rules.h"

namespace onnx_shapes {

std::span<const Family> recurrent_family() { return {}; }

}  // namespace onnx_shapes
