// Asks inference about one node again, with other inputs: where a number of its outputs comes from.
#pragma once

#include <memory>
#include <vector>

#include "infer/infer.h"

namespace onnx_shapes {

/// One number that inference may know of a value. Of a sequence or optional, dims and elements are
/// those of the tensors in it.
struct Part {
  enum class Kind : uint8_t {
    kDim,      // the length of axis `index`
    kElement,  // element `index` of the contents, in row-major order
    kLength,   // how many elements a sequence has
  };
  ValueId value = kNoId;
  Kind kind = Kind::kDim;
  uint32_t index = 0;
  bool operator==(const Part&) const = default;
};

/// Unknown where the fact does not tell.
[[nodiscard]] Dim dim_of(const Fact& fact, Part part);

/// Where a part of a node's output comes from.
struct Sources {
  /// Parts of the node's inputs, of values that its bodies read, or of outputs of its branches.
  std::vector<Part> parts;
  bool unchanged = false;  // there is one part, and it is the same number
};

/// Infers nodes of a finished inference again, each time with one number of their inputs replaced
/// by a new symbol: what then changes in the outputs depends on it. Constraints, facts and findings
/// of the inference are as before after each question; symbols are added.
class Probe {
 public:
  Probe(Model& model, const RuleTable& rules, Fallback* fallback, const InferOptions& options,
        Inference& inference);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Nothing for a part of a value that no node makes, or of which no input decides. Inside a
  /// function, whose attributes only a call knows, sources are inputs with the same number.
  [[nodiscard]] Sources sources(Part output);

  /// The element of an initializer; unknown if it is not one, or too large to be read.
  [[nodiscard]] Dim constant(Part element);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace onnx_shapes
