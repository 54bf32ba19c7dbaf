#include "cli/cli.h"
#include "support/heap.h"

int main(int argc, char** argv) {
  onnx_shapes::prepare_heap();
  return onnx_shapes::run_command_line(argc, argv);
}
