// Folds sums back into what people write: `x - m*(x//m)` into `x%m`, and `max(x, y) - y` into
// `max(x - y, 0)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "expr/expr.h"

namespace onnx_shapes {

/// coefficient * factors, times the remainder that belongs to `quotient`, or the maximum that
/// belongs to `maximum`, if that is set. The factors are sorted by atom id.
struct Summand {
  int64_t coefficient = 0;
  std::vector<Factor> factors;
  /// A floor division p//m; the summand is a multiple of p%m.
  const Atom* quotient = nullptr;
  /// If set, a floor division p//d, where d divides m: the remainder is (p//d)%(m/d) instead.
  const Atom* dividend = nullptr;
  /// A maximum, from each of whose operands `subtrahend`, which is one of them, is taken away.
  const Atom* maximum = nullptr;
  const Expr* subtrahend = nullptr;

  [[nodiscard]] bool is_plain() const { return quotient == nullptr && maximum == nullptr; }
  [[nodiscard]] bool is_number() const { return factors.empty() && is_plain(); }
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

/// Moves what is taken away from a maximum into it, where that is one of its operands.
void fold_maxima(std::vector<Summand>& sum, const FoldContext& context);

/// Takes the terms away from a sum that is not folded. False if a coefficient is too large to be
/// folded.
[[nodiscard]] bool subtract(std::vector<Summand>& sum, const std::vector<Summand>& terms);

}  // namespace onnx_shapes
