// Linear forms over monomials: what the prover computes with, so that its many intermediate results
// neither fill the pool nor count as overflows there.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expr/expr.h"

namespace onnx_shapes {

/// constant + sum of coefficient * monomial; the terms are sorted by monomial id, without zeros and
/// without the empty monomial. Coefficients stay below kLimit, so that sums of two products of a
/// coefficient and a small number are exact in 128 bits.
struct Linear {
  int64_t constant = 0;
  std::vector<Term> terms;

  static constexpr int64_t kLimit = int64_t{1} << 61;
  static constexpr size_t kMaxTerms = 64;

  [[nodiscard]] bool is_constant() const { return terms.empty(); }
  [[nodiscard]] int64_t coefficient(const Monomial* monomial) const;
  bool operator==(const Linear&) const = default;
};

/// Nothing for an unknown dim or too large a coefficient.
[[nodiscard]] std::optional<Linear> linear(Dim dim);
[[nodiscard]] Linear linear(const Monomial* monomial, int64_t coefficient = 1);

/// The product of factors that are sorted by atom id.
[[nodiscard]] const Monomial* monomial(Pool& pool, std::span<const Factor> factors);
/// The product that is the bare atom.
[[nodiscard]] const Monomial* monomial(Pool& pool, const Atom& atom);

/// a * ka + b * kb; nothing if a number gets too large or there are too many terms.
[[nodiscard]] std::optional<Linear> combine(const Linear& a, int64_t ka, const Linear& b,
                                            int64_t kb);
/// a - b.
[[nodiscard]] std::optional<Linear> difference(Dim a, Dim b);
/// The product; null where a monomial would get too high a degree, and so on.
[[nodiscard]] std::optional<Linear> product(Pool& pool, const Linear& a, const Linear& b);
[[nodiscard]] const Monomial* product(Pool& pool, const Monomial* a, const Monomial* b);
/// The product of all factors but those of `divisor`. Precondition: it divides `a`.
[[nodiscard]] const Monomial* quotient(Pool& pool, const Monomial* a, const Monomial* divisor);
/// Every term over the monomial; nothing if it does not divide the constant or one of the terms.
[[nodiscard]] std::optional<Linear> divided(Pool& pool, const Linear& form,
                                            const Monomial* divisor);
/// Whether the product has at least the factors of `part`.
[[nodiscard]] bool divides(const Monomial& part, const Monomial& product);
/// The dim, interned; unknown if it is too large.
[[nodiscard]] Dim to_dim(Pool& pool, const Linear& form);
[[nodiscard]] Dim to_dim(Pool& pool, const Atom& atom);

/// The greatest common divisor of the coefficients of the terms; 0 if there are none.
[[nodiscard]] int64_t content(const Linear& form);

/// Elimination takes the newest atom first: what an atom is made of is older than the atom, so
/// every fact about it speaks of older ones otherwise. Within one atom, products come before their
/// parts.
[[nodiscard]] bool eliminates_before(const Monomial& a, const Monomial& b);
/// The term whose monomial eliminates before all others. Precondition: there is a term.
[[nodiscard]] const Term& leading(const Linear& form);

/// A form as constant + factor * primitive, where `primitive` has no constant, coprime coefficients
/// and a positive leading one.
struct Primitive {
  Linear form;
  int64_t factor = 1;  // its sign is that of the leading coefficient
  int64_t constant = 0;
};
/// Precondition: there is a term.
[[nodiscard]] Primitive primitive(const Linear& form);

struct LinearHash {
  size_t operator()(const Linear& form) const;
};

}  // namespace onnx_shapes
