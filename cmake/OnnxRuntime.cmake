# Looks for ONNX Runtime, which `check --execute` runs parts of a model in. Only the header of its C API is needed to build; the
# library is loaded when the option is given, from where it is found now or from where the system looks for libraries.
option(ONNX_SHAPES_ONNXRUNTIME "Build check --execute where the header of ONNX Runtime's C API is found" ON)
set(ONNXRUNTIME_ROOT "" CACHE PATH "The folder of an unpacked archive of ONNX Runtime's releases")

set(ONNX_SHAPES_HAS_ONNXRUNTIME OFF)
if(ONNX_SHAPES_ONNXRUNTIME)
  # Debian's package has it in include/onnxruntime, the archives in include, an installed build in the folder of the sources.
  find_path(ONNX_SHAPES_ONNXRUNTIME_INCLUDE onnxruntime_c_api.h HINTS ${ONNXRUNTIME_ROOT}
    PATH_SUFFIXES include/onnxruntime include/onnxruntime/core/session include onnxruntime onnxruntime/core/session
    DOC "Where the header of ONNX Runtime's C API is (libonnxruntime-dev)")
  find_library(ONNX_SHAPES_ONNXRUNTIME_LIBRARY onnxruntime HINTS ${ONNXRUNTIME_ROOT} PATH_SUFFIXES lib
    DOC "ONNX Runtime's library, which is loaded at run time")
  mark_as_advanced(ONNX_SHAPES_ONNXRUNTIME_INCLUDE ONNX_SHAPES_ONNXRUNTIME_LIBRARY)
  if(ONNX_SHAPES_ONNXRUNTIME_INCLUDE)
    file(STRINGS ${ONNX_SHAPES_ONNXRUNTIME_INCLUDE}/onnxruntime_c_api.h line REGEX "define ORT_API_VERSION ")
    string(REGEX MATCH "[0-9]+" version "${line}")
    if("${version}" GREATER_EQUAL 18)
      set(ONNX_SHAPES_HAS_ONNXRUNTIME ON)
    else()
      message(STATUS "ONNX Runtime 1.${version} is too old for check --execute, which needs 1.18")
    endif()
  endif()
endif()
