# The warnings our own code is built with. The presets dev and ci make them errors.
add_library(onnx_shapes_warnings INTERFACE)
target_compile_options(onnx_shapes_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast)
