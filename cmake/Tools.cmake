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
