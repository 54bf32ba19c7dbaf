// The elements of a tensor as one block of bytes, whatever form they have in the file.
#pragma once

#include <string>

#include "model/state.h"

namespace onnx_shapes {

/// The elements in the form of raw_data; the failure says why they cannot be read. Not for strings.
[[nodiscard]] Result<std::string, std::string> raw_elements(const ModelData& data,
                                                            const onnx::TensorProto& tensor);

/// The elements of a tensor whose data is in an external file, in that form.
[[nodiscard]] Result<std::vector<uint8_t>, std::string> external_elements(
    const ModelData& data, const onnx::TensorProto& tensor);

/// The message with all its elements in it: those that the skeleton leaves out, and those of an
/// external file.
[[nodiscard]] Result<onnx::TensorProto, std::string> whole_tensor(const ModelData& data,
                                                                  const onnx::TensorProto& tensor);

}  // namespace onnx_shapes
