// The normal form of floor division, of its ceiling and of the remainder. Every rule holds for all
// integers; where the divisor is symbolic, for every value of it that is at least 1.
#include <algorithm>
#include <array>

#include "expr/bounds.h"
#include "expr/normal_form.h"
#include "expr/terms.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// How many divisions one division may lead to.
constexpr int kFuel = 2 * static_cast<int>(Pool::kMaxDepth);

Dim divide_with(Pool::Impl& pool, Dim a, Dim b, int fuel);

Dim quotient_atom(Pool::Impl& pool, Dim a, Dim b) {
  const std::array<const Expr*, 2> operands = {a.expr(), b.expr()};
  return pool.dim(pool.atom(AtomKind::kFloorDiv, operands, floor_div(a.bounds(), b.bounds())));
}

Dim sum_of(Pool::Impl& pool, Dim a, Dim b) {
  return a.known() && b.known() ? add_scaled(pool, a, 1, b, 1) : Dim();
}

/// The quotient to which every value of a belongs, if there is only one. Since b - 1 is never
/// negative, `a - k*b >= 0` also follows from `a - k*b >= b - 1`, and so on.
std::optional<int64_t> only_quotient(Pool::Impl& pool, Dim a, Dim b) {
  const Dim most = add_scaled(pool, b, 1, pool.number(-1), 1);
  if (!most.known()) return std::nullopt;
  for (const int64_t k : {0, -1}) {
    const Dim r = add_scaled(pool, a, 1, b, -k);
    if (!r.known()) continue;
    const bool low = r.bounds().lo >= 0 || combined_bounds(pool, r, 1, most, -1).lo >= 0;
    if (!low) continue;
    if (r.bounds().hi <= 0 || combined_bounds(pool, most, 1, r, -1).lo >= 0) return k;
  }
  return std::nullopt;
}

/// The term that is one bare quotient with coefficient 1, if it is the only bare quotient.
const Term* only_quotient_term(Terms terms) {
  const Term* found = nullptr;
  for (const Term& term : terms) {
    const Atom* atom = single_atom(term.monomial);
    if (atom == nullptr || atom->kind != AtomKind::kFloorDiv) continue;
    if (found != nullptr || term.coefficient != 1) return nullptr;
    found = &term;
  }
  return found;
}

/// `(x//m + y) // b` is `(x + m*y) // (m*b)`. Unknown if a has no such form.
Dim nested(Pool::Impl& pool, Dim a, Dim b, int fuel) {
  const Term* term = only_quotient_term(a.expr()->terms);
  if (term == nullptr) return Dim();
  const Atom* inner = single_atom(term->monomial);
  const Dim x(inner->operands[0]);
  const Dim m(inner->operands[1]);
  const Dim y = add_scaled(pool, a, 1, pool.dim(inner), -1);
  const Dim my = y.known() ? multiply(pool, m, y) : Dim();
  const Dim divisor = multiply(pool, m, b);
  const Dim numerator = sum_of(pool, x, my);
  if (!numerator.known() || !divisor.known()) return Dim();
  return divide_with(pool, numerator, divisor, fuel - 1);
}

/// The multiples of c, whose quotient is exact, and the rest, with coefficients in [0, c).
struct Split {
  TermBuffer quotient;
  TermBuffer remainder;
  bool ok = true;
};

void split(Terms terms, int64_t c, Split& out) {
  for (const Term& term : terms) {
    out.ok = out.ok && out.quotient.push(term.monomial, floor_div(term.coefficient, c)) &&
             out.remainder.push(term.monomial, floor_mod(term.coefficient, c));
  }
}

/// A remainder over a number, after the multiples of the number were taken out.
Dim divide_remainder(Pool::Impl& pool, Terms terms, int64_t c, int fuel) {
  if (as_number(terms)) return pool.number(0);
  const int64_t g = static_cast<int64_t>(gcd_magnitude(symbolic_content(terms), c));
  TermBuffer reduced;
  for (const Term& term : terms) {
    if (!reduced.push(term.monomial, floor_div(term.coefficient, g))) return Dim();
  }
  const Dim a = pool.sum(reduced.terms());
  if (!a.known()) return Dim();
  c /= g;
  if (c == 1) return a;
  if (g > 1) return divide_with(pool, a, pool.number(c), fuel - 1);
  if (const Dim flat = nested(pool, a, pool.number(c), fuel); flat.known()) return flat;
  const Interval block = floor_div(a.bounds(), Interval::point(c));
  if (block.is_point()) return pool.number(block.lo);
  return quotient_atom(pool, a, pool.number(c));
}

Dim divide_by_number(Pool::Impl& pool, Dim a, int64_t c, int fuel) {
  if (c < 1) return Dim();
  if (c == 1) return a;
  Split parts;
  split(a.expr()->terms, c, parts);
  if (!parts.ok) return Dim();
  const Dim remainder = divide_remainder(pool, parts.remainder.terms(), c, fuel);
  return sum_of(pool, pool.sum(parts.quotient.terms()), remainder);
}

/// Takes a polynomial quotient out where that leaves less: fewer terms, and nothing negative that
/// was not negative before. Unknown if it does not.
Dim with_quotient_out(Pool::Impl& pool, Dim a, Dim b, int fuel) {
  if (leading(b.expr()->terms).coefficient < 0) return Dim();
  const Division division = polynomial_division(pool, a, b);
  if (!division.quotient.known() || division.quotient.is(0)) return Dim();
  const Dim r = division.remainder;
  const bool shorter = r.expr()->terms.size() < a.expr()->terms.size();
  const bool monomial = b.expr()->terms.size() == 1;
  if (!monomial && (!shorter || (a.bounds().lo >= 0 && r.bounds().lo < 0))) return Dim();
  return sum_of(pool, division.quotient, divide_with(pool, r, b, fuel - 1));
}

/// The numerator over `g`, rounded down, when all but its constant part is divisible by g.
Dim numerator_over(Pool::Impl& pool, Dim a, int64_t g) {
  TermBuffer terms;
  for (const Term& term : a.expr()->terms) {
    if (!terms.push(term.monomial, floor_div(term.coefficient, g))) return Dim();
  }
  return pool.sum(terms.terms());
}

/// Cancels the common number and the common product of atoms that cannot be negative: where b is
/// at least 1, those are at least 1. Unknown if there is nothing to cancel.
Dim with_common_part_out(Pool::Impl& pool, Dim a, Dim b, int fuel) {
  const int64_t g = static_cast<int64_t>(
      gcd_magnitude(symbolic_content(a.expr()->terms), content(b.expr()->terms)));
  if (g > 1) {
    a = numerator_over(pool, a, g);
    b = numerator_over(pool, b, g);
    return a.known() && b.known() ? divide_with(pool, a, b, fuel - 1) : Dim();
  }
  const Monomial* common =
      non_negative_part(pool, common_factor(pool, common_factor(pool, a.expr()->terms),
                                            common_factor(pool, b.expr()->terms)));
  if (common->id == 0) return Dim();
  a = pool.sum(divided(pool, a.expr()->terms, common, 1));
  b = pool.sum(divided(pool, b.expr()->terms, common, 1));
  return a.known() && b.known() ? divide_with(pool, a, b, fuel - 1) : Dim();
}

Dim divide_by_symbols(Pool::Impl& pool, Dim a, Dim b, int fuel) {
  if (a.is(0) || never_positive(b)) return a.is(0) ? a : Dim();
  if (const Dim exact = divide_exactly(pool, a, b); exact.known()) return exact;
  if (fuel > 0) {
    if (const Dim out = with_quotient_out(pool, a, b, fuel); out.known()) return out;
    if (const Dim out = with_common_part_out(pool, a, b, fuel); out.known()) return out;
  }
  if (const auto k = only_quotient(pool, a, b)) return pool.number(*k);
  if (fuel > 0) {
    if (const Dim flat = nested(pool, a, b, fuel); flat.known()) return flat;
  }
  return quotient_atom(pool, a, b);
}

Dim divide_with(Pool::Impl& pool, Dim a, Dim b, int fuel) {
  if (const auto c = b.number()) return divide_by_number(pool, a, *c, fuel);
  return divide_by_symbols(pool, a, b, fuel);
}

Pool::Impl* pool_of(Dim a, Dim b) {
  return a.known() && b.known() && !never_positive(b) ? &a.expr()->pool->impl() : nullptr;
}

}  // namespace

bool never_positive(Dim divisor) { return divisor.bounds().hi < 1; }

Dim divide(Pool::Impl& pool, Dim a, Dim b) { return divide_with(pool, a, b, kFuel); }

Dim floor_div(Dim a, Dim b) {
  Pool::Impl* pool = pool_of(a, b);
  return pool == nullptr ? Dim() : pool->checked(divide(*pool, a, b));
}

Dim ceil_div(Dim a, Dim b) { return floor_div(a + (b - 1), b); }

Dim mod(Dim a, Dim b) { return a - b * floor_div(a, b); }

Dim floor_div(Dim a, int64_t b) { return floor_div(a, number_like(a, b)); }
Dim ceil_div(Dim a, int64_t b) { return ceil_div(a, number_like(a, b)); }
Dim mod(Dim a, int64_t b) { return mod(a, number_like(a, b)); }

}  // namespace onnx_shapes
