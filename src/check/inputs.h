// The inputs of a run, from files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "infer/infer.h"
#include "run/runner.h"

namespace onnx_shapes {

/// A value of a file: what its header says, and small contents.
struct GivenArray : GivenInput {
  std::string name;  // of the file or the entry without .npy, or of the message
  std::string type;  // as NumPy writes it: `<f4`, `|b1`, `<U3`, `|V2`; empty for a message
  bool fortran_order = false;
};

/// At most this many elements of integers, bools and strings are read; of floats, 256.
constexpr int64_t kMaxGivenElements = static_cast<int64_t>(kMaxElements);
constexpr int64_t kMaxGivenFloats = 256;

/// Reads an .npz (stored or deflated, zip64), an .npy, a .pb (a TensorProto, SequenceProto or
/// OptionalProto, by the type of the input), or a folder of .npy and .pb files. The name of a file
/// `input_3` stands for the model's input 3, unless an input is called so. Of each array the header
/// is read, and contents only where they are small and may decide a shape. What cannot be read is
/// SHP701 (the whole file) or SHP706 (one array, which comes as FactKind::kUnknown).
[[nodiscard]] std::vector<GivenArray> read_arrays(const std::string& path, const Model& model,
                                                  Findings& findings);

/// The whole contents of the arrays of a file for these inputs of the model, by name, and of no
/// other; what cannot be read is SHP701 or SHP706.
[[nodiscard]] std::map<std::string, RunInput> read_contents(const std::string& path,
                                                            const Model& model,
                                                            const std::set<std::string>& names,
                                                            Findings& findings);

[[nodiscard]] GivenInput given_value(StoredValue value);

/// A place in a file of inputs, for findings.
[[nodiscard]] Place place_in(std::string file, std::string array = {});

/// "x=2,3,224"; nothing if the text is something else.
[[nodiscard]] std::optional<GivenArray> read_shape_text(const std::string& text);

/// The arrays as inputs of the model's main graph. One that stands for no input is SHP703 and left
/// out; one whose type no ONNX type is, or not the one that is declared, SHP704; two for one input
/// SHP706. What is refused is of FactKind::kUnknown, so that it does not count as missing. An array
/// without a type (of --shape) has the one that is declared; one for an optional is what that
/// holds.
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
