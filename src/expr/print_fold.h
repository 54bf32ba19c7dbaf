// Folds `x - m*(x//m)` back into remainders, so that the printer can write `x%m`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "expr/expr.h"

namespace onnx_shapes {

/// coefficient * factors, times the remainder that belongs to `quotient` if that is set. The
/// factors are sorted by atom id.
struct Summand {
  int64_t coefficient = 0;
  std::vector<Factor> factors;
  /// A floor division p//m; the summand is a multiple of p%m.
  const Atom* quotient = nullptr;
  /// If set, a floor division p//d, where d divides m: the remainder is (p//d)%(m/d) instead.
  const Atom* dividend = nullptr;

  [[nodiscard]] bool is_number() const { return factors.empty() && quotient == nullptr; }
  [[nodiscard]] size_t degree() const;
};

/// What the printer knows of the text of an atom. `summands` gives the terms of an expression in
/// the order in which they print, so that folding does not depend on ids.
struct FoldContext {
  std::function<size_t(const Atom&)> text_length;
  std::function<std::vector<Summand>(const Expr&)> summands;
};

/// Replaces quotients by remainders as long as the text gets shorter.
void fold_remainders(std::vector<Summand>& sum, const FoldContext& context);

}  // namespace onnx_shapes
