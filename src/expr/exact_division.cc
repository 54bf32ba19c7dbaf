// Division of one polynomial by another, by leading terms in the graded order.
#include "expr/normal_form.h"
#include "expr/terms.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// More steps than terms can be left only when the coefficients are not divisible.
constexpr int kMaxSteps = 4 * static_cast<int>(Pool::kMaxTerms);

/// Unknown on overflow.
Dim term_times(Pool::Impl& pool, const Term& term, Dim b) {
  return multiply(pool, pool.sum({&term, 1}), b);
}

/// The multiple of the leading term of b that fits `term`; no monomial if there is none.
Term fitting(Pool::Impl& pool, const Term& term, const Term& lead) {
  const std::optional<int64_t> q = checked_floor_div(term.coefficient, lead.coefficient);
  if (!q || *q == 0) return {};
  return {quotient(pool, term.monomial, lead.monomial), *q};
}

}  // namespace

Division polynomial_division(Pool::Impl& pool, Dim a, Dim b) {
  const Term lead = leading(b.expr()->terms);
  Dim q = pool.number(0);
  Dim r = pool.number(0);
  for (int step = 0; step < kMaxSteps; ++step) {
    if (!a.known() || !q.known() || !r.known()) return {};
    if (a.is(0)) return {q, r};
    const Term top = leading(a.expr()->terms);
    const Term part = fitting(pool, top, lead);
    if (part.monomial != nullptr) {
      const Dim multiple = term_times(pool, part, b);
      if (!multiple.known()) return {};
      q = add_scaled(pool, q, 1, pool.sum({&part, 1}), 1);
      a = add_scaled(pool, a, 1, multiple, -1);
      if (!a.known() || a.is(0) || leading(a.expr()->terms).monomial != top.monomial) continue;
    }
    const Term kept = leading(a.expr()->terms);
    r = add_scaled(pool, r, 1, pool.sum({&kept, 1}), 1);
    a = without_term(pool, a, kept.monomial);
  }
  return {};
}

Dim divide_exactly(Pool::Impl& pool, Dim a, Dim b) {
  const Term lead = leading(b.expr()->terms);
  Dim q = pool.number(0);
  for (int step = 0; step < kMaxSteps && a.known() && q.known(); ++step) {
    if (a.is(0)) return q;
    const Term top = leading(a.expr()->terms);
    // The quotient of INT64_MIN by -1 does not fit.
    if (lead.coefficient == -1 && top.coefficient == INT64_MIN) return Dim();
    if (top.coefficient % lead.coefficient != 0) return Dim();
    const Monomial* monomial = quotient(pool, top.monomial, lead.monomial);
    if (monomial == nullptr) return Dim();
    const Term part{monomial, top.coefficient / lead.coefficient};
    const Dim multiple = term_times(pool, part, b);
    if (!multiple.known()) return Dim();
    q = add_scaled(pool, q, 1, pool.sum({&part, 1}), 1);
    a = add_scaled(pool, a, 1, multiple, -1);
  }
  return Dim();
}

Dim exact_quotient(Dim a, Dim b) {
  if (!a.known() || !b.known() || b.is(0)) return Dim();
  return divide_exactly(a.expr()->pool->impl(), a, b);
}

}  // namespace onnx_shapes
