// Reads TypeProto messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"

namespace onnx {
class TensorShapeProto;
class TypeProto;
}  // namespace onnx

namespace onnx_shapes {

/// What is wrong with a type: the code and message of the finding to make.
struct TypeFault {
  Code code;
  std::string message;
  std::string help;
  std::optional<int64_t> axis;
};

/// The type as it is declared. What is wrong in it is left unknown, and is a fault: a dim_value
/// below 0 (SHP012), a rank above the limit (SHP605), an element type that does not exist and a
/// container without an element type (SHP013).
[[nodiscard]] DeclaredType read_type(const onnx::TypeProto& type, uint32_t max_rank,
                                     std::vector<TypeFault>& faults);

}  // namespace onnx_shapes
