// For builds that found no header of ONNX Runtime.
#include "run/runner.h"

namespace onnx_shapes {

Expected<std::unique_ptr<Runner>> load_onnxruntime() {
  return Failure{
      onnxruntime_missing("--execute needs ONNX Runtime, which this program was built "
                          "without")};
}

}  // namespace onnx_shapes
