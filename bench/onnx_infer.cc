// The peer of bench/speed.py: parses a model, runs the onnx library's own shape inference with data
// propagation, and writes the model.
#include <onnx/defs/operator_sets.h>
#include <onnx/defs/operator_sets_ml.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "onnx_infer MODEL OUT\n";
    return 2;
  }
  onnx::RegisterOnnxOperatorSetSchema();
  onnx::RegisterOnnxMLOperatorSetSchema();
  onnx::ModelProto model;
  std::ifstream in(argv[1], std::ios::binary);
  if (!model.ParseFromIstream(&in)) return 1;
  try {
    const onnx::ShapeInferenceOptions options(false, 0, true);
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  std::ofstream out(argv[2], std::ios::binary);
  return model.SerializeToOstream(&out) ? 0 : 1;
}
