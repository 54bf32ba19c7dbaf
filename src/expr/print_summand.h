// Sums on their way to the page: lists of terms that folding rewrites before they print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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
  /// The floor division p//c plus a number s, which prints as (p + s*c)//c. Null if there is none.
  std::function<const Atom*(const Atom&, int64_t)> shifted;
};

[[nodiscard]] std::vector<Factor> multiply(const std::vector<Factor>& a, std::span<const Factor> b);
/// `a` without the factors `b`, if they are all there.
[[nodiscard]] std::optional<std::vector<Factor>> divide(const std::vector<Factor>& a,
                                                        std::span<const Factor> b);

/// Folding is for reading; sums with larger coefficients stay as they are, so that no intermediate
/// value can overflow when the text is read again.
[[nodiscard]] bool is_foldable(int64_t coefficient);

[[nodiscard]] bool mentions(const std::vector<Summand>& sum, AtomKind kind);
/// The plain summand with those factors, or the end.
[[nodiscard]] std::vector<Summand>::iterator find_plain(std::vector<Summand>& sum,
                                                        const std::vector<Factor>& factors);

/// About as many characters as the sum takes in print.
[[nodiscard]] size_t cost(const std::vector<Summand>& sum, const FoldContext& context);

/// Adds scale * rest * terms to the sum; false if a coefficient gets too large to be folded.
[[nodiscard]] bool add_product(std::vector<Summand>& sum, int64_t scale,
                               const std::vector<Factor>& rest, const std::vector<Summand>& terms);
/// Takes the terms away from a sum that is not folded. False if a coefficient is too large to be
/// folded.
[[nodiscard]] bool subtract(std::vector<Summand>& sum, const std::vector<Summand>& terms);
void drop_zeros(std::vector<Summand>& sum);

}  // namespace onnx_shapes
