# Brings the onnx C++ library as the target onnx_shapes::onnx.
#
# In this order: a system ONNX CMake package that is recent enough; our own build of the pinned sources in the cache; that build,
# made now (two to five minutes on two cores). The cache lives outside the tree, one folder for each version, compiler, protobuf and
# recipe, and a folder appears there by one rename, so that an interrupted build never counts as present.
include(${CMAKE_CURRENT_LIST_DIR}/Protobuf.cmake)

option(ONNX_SHAPES_SYSTEM_ONNX "Use a system ONNX CMake package when there is a recent one" ON)
set(ONNX_SHAPES_ONNX_SDIST "" CACHE FILEPATH "An onnx source distribution (.tar.gz) to use in place of a download")
set(ONNX_SHAPES_ONNX_FLAGS "" CACHE STRING "Extra compiler flags for our own build of onnx")

function(onnx_shapes_cache_dir result)
  if(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(base "$ENV{XDG_CACHE_HOME}")
  elseif(NOT "$ENV{HOME}" STREQUAL "")
    set(base "$ENV{HOME}/.cache")
  else()
    message(FATAL_ERROR "Neither XDG_CACHE_HOME nor HOME is set: where should the onnx library be kept?")
  endif()
  set(${result} ${base}/onnx-shapes PARENT_SCOPE)
endfunction()

# Puts the pinned source distribution at `sdist`, checked against its hash.
function(onnx_shapes_fetch_sdist sdist version sha256)
  if(ONNX_SHAPES_ONNX_SDIST)
    file(COPY_FILE ${ONNX_SHAPES_ONNX_SDIST} ${sdist})
  elseif(NOT EXISTS ${sdist})
    message(STATUS "Fetching the sources of onnx ${version}")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(download ${sdist}.part)
    file(REMOVE_RECURSE ${download})
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${PROJECT_SOURCE_DIR}/cmake/onnx/backend
        ${Python3_EXECUTABLE} -m pip download --quiet --disable-pip-version-check --no-deps --no-binary onnx
        --no-build-isolation --require-hashes -r ${PROJECT_SOURCE_DIR}/cmake/onnx/requirements.txt --dest ${download}
      RESULT_VARIABLE failed)
    if(failed)
      file(REMOVE_RECURSE ${download})
      message(FATAL_ERROR "Could not fetch the sources of onnx ${version} with '${Python3_EXECUTABLE} -m pip download'. "
        "Without a network, give the source distribution: -D ONNX_SHAPES_ONNX_SDIST=onnx-${version}.tar.gz")
    endif()
    file(GLOB fetched ${download}/*.tar.gz)
    file(RENAME ${fetched} ${sdist})
    file(REMOVE_RECURSE ${download})
  endif()
  file(SHA256 ${sdist} actual)
  if(NOT actual STREQUAL sha256)
    file(REMOVE ${sdist})
    message(FATAL_ERROR "The source distribution of onnx ${version} has the SHA-256 ${actual}, not ${sha256}")
  endif()
endfunction()

# Builds the library into `prefix`.
function(onnx_shapes_build_onnx prefix cache version sha256)
  onnx_shapes_fetch_sdist(${cache}/onnx-${version}.tar.gz ${version} ${sha256})
  message(STATUS "Building onnx ${version}, once: two to five minutes on two cores")
  set(work ${cache}/build.part)  # one path for all, so that ccache knows it again; the lock keeps it ours
  file(REMOVE_RECURSE ${work})
  file(ARCHIVE_EXTRACT INPUT ${cache}/onnx-${version}.tar.gz DESTINATION ${work}/source)
  set(launcher)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(launcher -D CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
  if(NOT "$ENV{CMAKE_BUILD_PARALLEL_LEVEL}" STREQUAL "")
    set(jobs $ENV{CMAKE_BUILD_PARALLEL_LEVEL})
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/cmake/onnx -B ${work}/build -G ${CMAKE_GENERATOR}
      -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -D CMAKE_CXX_FLAGS=${ONNX_SHAPES_ONNX_FLAGS}
      -D ONNX_SOURCE=${work}/source/onnx-${version} -D CMAKE_INSTALL_PREFIX=${work}/prefix ${launcher}
    COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${work}/build --parallel ${jobs} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${work}/build COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
  file(RENAME ${work}/prefix ${prefix})
  file(REMOVE_RECURSE ${work})
endfunction()

add_library(onnx_shapes_onnx INTERFACE)
add_library(onnx_shapes::onnx ALIAS onnx_shapes_onnx)

if(ONNX_SHAPES_SYSTEM_ONNX)
  find_package(ONNX 1.23 CONFIG QUIET)
endif()
if(TARGET ONNX::onnx)
  message(STATUS "Using the system's onnx ${ONNX_VERSION}")
  target_link_libraries(onnx_shapes_onnx INTERFACE ONNX::onnx)
  return()
endif()

set(recipe ${PROJECT_SOURCE_DIR}/cmake/onnx)
file(READ ${recipe}/requirements.txt pin)
string(REGEX MATCH "^onnx==([0-9.]+) --hash=sha256:([0-9a-f]+)" _ "${pin}")
set(onnx_version ${CMAKE_MATCH_1})
set(onnx_sha256 ${CMAKE_MATCH_2})
file(SHA256 ${recipe}/CMakeLists.txt recipe_hash)
string(SHA256 hash "${recipe_hash} ${onnx_sha256} ${ONNX_SHAPES_ONNX_FLAGS} ${CMAKE_SYSTEM_PROCESSOR}")
string(SUBSTRING ${hash} 0 8 hash)
string(TOLOWER
  onnx-${onnx_version}-${CMAKE_CXX_COMPILER_ID}-${CMAKE_CXX_COMPILER_VERSION}-protobuf-${Protobuf_VERSION}-${hash} key)
onnx_shapes_cache_dir(cache)
set(prefix ${cache}/${key})
if(NOT EXISTS ${prefix})
  file(MAKE_DIRECTORY ${cache})
  file(LOCK ${cache}/lock GUARD FILE)
  if(NOT EXISTS ${prefix})
    onnx_shapes_build_onnx(${prefix} ${cache} ${onnx_version} ${onnx_sha256})
  endif()
  file(LOCK ${cache}/lock RELEASE)
endif()
message(STATUS "Using onnx ${onnx_version} from ${prefix}")

add_library(onnx_shapes_onnx_archive STATIC IMPORTED)
set_target_properties(onnx_shapes_onnx_archive PROPERTIES
  IMPORTED_LOCATION ${prefix}/lib/libonnx.a
  INTERFACE_INCLUDE_DIRECTORIES ${prefix}/include
  INTERFACE_COMPILE_DEFINITIONS "ONNX_ML=1;ONNX_NAMESPACE=onnx;__ONNX_DISABLE_STATIC_REGISTRATION;__ONNX_NO_DOC_STRINGS"
  INTERFACE_LINK_LIBRARIES protobuf::libprotobuf)
target_link_libraries(onnx_shapes_onnx INTERFACE onnx_shapes_onnx_archive)
