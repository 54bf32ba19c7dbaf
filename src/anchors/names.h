// Writes dims in the author's words: a compound that is known to equal an input symbol reads as
// that symbol.
#pragma once

#include <unordered_map>
#include <vector>

#include "facts/knowledge.h"
#include "infer/infer.h"

namespace onnx_shapes {

/// Whether the dim is a number, or made of the author's names of input dims.
[[nodiscard]] bool over_input_names(const Inference& inference, Dim dim);

/// Reads the constraints of an inference once; memoised for its lifetime.
class Namer {
 public:
  explicit Namer(const Inference& inference);

  /// The dim with solved symbols replaced and every `compound == input symbol` folded, modulo a
  /// common factor and other terms, at every depth: with `total == past + seq`, `2*past + 2*seq +
  /// 1` becomes `2*total + 1`. A fold is made only where there is less to read. Products,
  /// quotients, extrema and broadcasts give way to the number that they are known to be, and the
  /// latter over the inputs' names to something shorter over them that they are known to equal.
  [[nodiscard]] Dim operator()(Dim dim);

 private:
  struct Rule {
    Dim compound;
    Dim symbol;
  };

  /// `compound` is written `symbol`, if that is the name of an input's dim and both are over such.
  void add_rule(Dim compound, Dim symbol);
  void add_shorter(const Linear& form);
  [[nodiscard]] Dim rewrite(Dim dim);
  [[nodiscard]] Dim rebuilt(const Atom& atom);
  [[nodiscard]] Dim rewritten_product(const Term& term);
  [[nodiscard]] Dim folded(Dim dim, const Rule& rule);

  const Inference& inference_;
  Knowledge& knowledge_;
  std::vector<Rule> rules_;
  std::unordered_map<const Expr*, Dim> shorter_;  // by an atom as an expression
  std::unordered_map<const Expr*, Dim> memo_;
};

}  // namespace onnx_shapes
