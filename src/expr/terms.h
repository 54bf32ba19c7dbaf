// Sums as plain lists of terms: what the normal forms are computed on before they are interned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "expr/pool_impl.h"

namespace onnx_shapes {

/// A short list of terms on the stack, sorted by monomial id, without zero coefficients.
class TermBuffer {
 public:
  TermBuffer() {}  // NOLINT(modernize-use-equals-default): the terms stay uninitialised

  /// False if there is no room.
  [[nodiscard]] bool push(const Monomial* monomial, int64_t coefficient) {
    if (coefficient == 0) return true;
    if (size_ == kCapacity) return false;
    std::construct_at(storage_ + size_++, Term{monomial, coefficient});
    return true;
  }
  [[nodiscard]] Terms terms() const { return {storage_, size_}; }

 private:
  static constexpr size_t kCapacity = 2 * Pool::kMaxTerms;

  union {
    Term storage_[kCapacity];
  };
  size_t size_ = 0;
};

/// Appends `a * ka + b * kb` to an empty buffer. False on overflow.
[[nodiscard]] bool merge(Terms a, int64_t ka, Terms b, int64_t kb, TermBuffer& out);

/// Sorts by monomial id and adds up the terms of one monomial. False on overflow.
[[nodiscard]] bool collect(std::vector<Term>& terms);

/// The products of the terms, each monomial interned; not yet collected. Nothing on
/// overflow.
[[nodiscard]] std::optional<std::vector<Term>> multiplied(Pool::Impl& pool, Terms a, Terms b);

[[nodiscard]] std::optional<int64_t> as_number(Terms terms);
[[nodiscard]] int64_t coefficient_of(Terms terms, const Monomial* monomial);
/// The part without factors.
[[nodiscard]] int64_t constant_part(Terms terms);

/// The atom, if the monomial is one atom with exponent 1; else null.
[[nodiscard]] const Atom* single_atom(const Monomial* monomial);
/// The atom, if the dim is one atom with coefficient 1; else null.
[[nodiscard]] const Atom* single_atom(Dim dim);

/// The greatest common divisor of the coefficients, or of those of terms with factors; 0 for none.
/// 1 where it does not fit 64 bits.
[[nodiscard]] int64_t content(Terms terms);
[[nodiscard]] int64_t symbolic_content(Terms terms);

/// Null if the degree is too high.
[[nodiscard]] const Monomial* product(Pool::Impl& pool, const Monomial* a, const Monomial* b);
/// Null if `b` does not divide `a`.
[[nodiscard]] const Monomial* quotient(Pool::Impl& pool, const Monomial* a, const Monomial* b);
/// The greatest monomial that divides both.
[[nodiscard]] const Monomial* common_factor(Pool::Impl& pool, const Monomial* a, const Monomial* b);
/// The greatest monomial that divides every term; 1 for the empty sum.
[[nodiscard]] const Monomial* common_factor(Pool::Impl& pool, Terms terms);
/// The part of the monomial that cannot be negative.
[[nodiscard]] const Monomial* non_negative_part(Pool::Impl& pool, const Monomial* monomial);
/// The sum without the term of the monomial.
[[nodiscard]] Dim without_term(Pool::Impl& pool, Dim a, const Monomial* monomial);
/// The sum divided by a monomial that divides every term and a number that divides every
/// coefficient.
[[nodiscard]] std::vector<Term> divided(Pool::Impl& pool, Terms terms, const Monomial* monomial,
                                        int64_t number);

/// Graded lexicographic order on atom ids, which multiplication preserves.
[[nodiscard]] bool graded_less(const Monomial& a, const Monomial& b);
/// The greatest term in that order. Precondition: not empty.
[[nodiscard]] const Term& leading(Terms terms);

}  // namespace onnx_shapes
