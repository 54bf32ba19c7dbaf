#include "rules/rules.h"

namespace onnx_shapes {

std::span<const Family> data_dependent_family() { return {}; }

}  // namespace onnx_shapes
