#include "run/runner.h"

namespace onnx_shapes {

Finding onnxruntime_missing(std::string what) {
  return make_finding(
      Code::kRuntimeMissing, {}, std::move(what),
      "install libonnxruntime-dev (Debian 13, Ubuntu 24.10 and newer), or unpack an archive of "
      "ONNX "
      "Runtime's releases, and build with -D ONNXRUNTIME_ROOT=FOLDER; a library elsewhere is named "
      "by the environment variable ONNX_SHAPES_ONNXRUNTIME");
}

}  // namespace onnx_shapes
