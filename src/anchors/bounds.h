// The least and the greatest that a dim can be.
#pragma once

#include <unordered_map>
#include <vector>

#include "anchors/names.h"
#include "infer/infer.h"

namespace onnx_shapes {

/// Each of them holds; what follows from another of the list is left out. Numbers, and expressions
/// in the author's words.
struct DimBounds {
  std::vector<Dim> at_least;  // empty where nothing but `0` is known
  std::vector<Dim> at_most;
  [[nodiscard]] bool empty() const { return at_least.empty() && at_most.empty(); }
};

/// Reads the upper bounds of an inference once.
class Bounds {
 public:
  explicit Bounds(const Inference& inference);

  /// What bounds a dim whose number is not known. A bound of a symbol that the author has not named
  /// is carried over to what is computed from it: `nnz <= N*M` gives `nnz + 1 <= N*M + 1`.
  [[nodiscard]] DimBounds of(Dim dim);

 private:
  struct Side {
    std::vector<Dim> at_least, at_most;
  };
  void collect(Dim dim, bool upper, int depth, std::vector<Dim>& found);
  void keep_tightest(std::vector<Dim>& bounds, bool upper);

  const Inference& inference_;
  Namer namer_;
  Prover prover_;
  std::unordered_map<const Expr*, Side> sides_;
};

/// Whether a dim is a number or an expression over names that the caller chooses.
[[nodiscard]] bool is_exact(const Inference& inference, Dim dim);

}  // namespace onnx_shapes
