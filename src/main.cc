#include "cli/cli.h"

int main(int argc, char** argv) { return onnx_shapes::run_command_line(argc, argv); }
