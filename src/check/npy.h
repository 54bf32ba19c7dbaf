// The .npy format of NumPy (numpy.lib.format, versions 1 to 3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check/inputs.h"

namespace onnx_shapes {

/// Gives the first `limit` bytes of an array's file, or the finding that says why not.
using ReadPrefix = std::function<Expected<std::vector<uint8_t>>(size_t limit)>;

/// Reads the header, and contents where they are small enough and in a form that is read. `size` is
/// that of the whole file: one that is too short for the array is SHP706.
[[nodiscard]] Expected<GivenArray> read_npy(const Place& place, uint64_t size,
                                            const ReadPrefix& read);

/// The same with all of its contents, in row-major order. Its type is kUndefined where ONNX has
/// none that NumPy has too.
[[nodiscard]] Expected<RunInput> read_whole_npy(const Place& place, uint64_t size,
                                                const ReadPrefix& read);

}  // namespace onnx_shapes
