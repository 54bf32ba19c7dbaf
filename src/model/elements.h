// Reads the elements of small tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/state.h"

namespace onnx_shapes {

// As the functions of Model of the same names.
[[nodiscard]] std::optional<std::vector<int64_t>> read_ints(const ModelData& data, TensorId id,
                                                            size_t max_count, Findings& findings);
[[nodiscard]] std::optional<std::vector<double>> read_floats(const ModelData& data, TensorId id,
                                                             size_t max_count, Findings& findings);
[[nodiscard]] std::optional<std::vector<std::string>> read_strings(const ModelData& data,
                                                                   TensorId id, size_t max_count,
                                                                   Findings& findings);

}  // namespace onnx_shapes
