// The inputs of a run, from files.
#pragma once

#include <string>
#include <vector>

#include "infer/infer.h"

namespace onnx_shapes {

/// An array of a file: what its header says, and small contents.
struct GivenArray {
  std::string name;  // without .npy
  std::string type;  // as NumPy writes it: `<f4`, `|b1`, `<U3`, `|V2`
  std::vector<int64_t> shape;
  bool fortran_order = false;
  std::optional<std::vector<int64_t>> integers;
  std::optional<std::vector<double>> numbers;
};

/// At most this many elements of integers and bools are read; of floats, 256.
constexpr int64_t kMaxGivenElements = static_cast<int64_t>(kMaxElements);

/// Reads an .npz (stored or deflated, zip64), an .npy, or a folder of .npy files. Of each array the
/// header is read, and contents only where they are small and may decide a shape: integers, bools
/// and floats in C order and little-endian. What cannot be read is SHP701 (the whole file) or
/// SHP706 (one array); the others come all the same.
[[nodiscard]] std::vector<GivenArray> read_arrays(const std::string& path, Findings& findings);

/// A place in a file of inputs, for findings.
[[nodiscard]] Place place_in(std::string file, std::string array = {});

/// "x=2,3,224"; nothing if the text is something else.
[[nodiscard]] std::optional<GivenArray> read_shape_text(const std::string& text);

/// The arrays as inputs of the model's main graph: missing ones are SHP702, unknown ones SHP703,
/// other element types SHP704. An array without a type (of --shape) has the one that is declared.
/// An array that stands for no value of the model is left out.
[[nodiscard]] std::map<ValueId, GivenInput> match_inputs(const Model& model,
                                                         const std::vector<GivenArray>& arrays,
                                                         const std::string& source,
                                                         Findings& findings);

/// Inputs that are not given and have no initializer. One whose declared dims are numbers, or names
/// that given inputs (or `sizes`) bind, has the shape that follows: SHP702 as a warning, or nothing
/// with `derive`. What is still missing is SHP702. Inputs that are no tensors stay as declared.
void complete_inputs(const Model& model, const std::map<std::string, int64_t, std::less<>>& sizes,
                     bool derive, const std::string& source, std::map<ValueId, GivenInput>& given,
                     Findings& findings);

}  // namespace onnx_shapes
