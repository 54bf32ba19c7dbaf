# Builds everything with the sanitizers of ONNX_SHAPES_SANITIZE; the first finding ends the program.
if(ONNX_SHAPES_SANITIZE)
  add_compile_options(-fsanitize=${ONNX_SHAPES_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ONNX_SHAPES_SANITIZE})
endif()
if(ONNX_SHAPES_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
