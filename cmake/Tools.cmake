# Quicker compilers and linkers, where the machine has them.
include(CheckLinkerFlag)

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE ccache)
  mark_as_advanced(CCACHE)
  if(CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

foreach(linker IN ITEMS mold lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} ONNX_SHAPES_HAS_${linker})
  if(ONNX_SHAPES_HAS_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

# Leave out of released binaries what nothing calls: most of protobuf and onnx.
add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
check_linker_flag(CXX -Wl,--gc-sections ONNX_SHAPES_HAS_gc_sections)
if(ONNX_SHAPES_HAS_gc_sections)
  add_link_options($<$<CONFIG:Release>:-Wl,--gc-sections>)
endif()
