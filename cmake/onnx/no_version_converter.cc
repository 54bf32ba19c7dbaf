// Stands in for onnx's version converter, which the inliner names but nothing here calls.

#include <stdexcept>

#include "onnx/version_converter/convert.h"

namespace onnx::version_conversion {

ModelProto ConvertVersion(const ModelProto& /*model*/, int /*target_version*/) {
  throw std::runtime_error("this build of onnx has no version converter");
}

}  // namespace onnx::version_conversion
