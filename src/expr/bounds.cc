// Bounds of sums: interval arithmetic, sharpened by eliminating the newest operators one by one.
#include "expr/bounds.h"

#include <algorithm>

#include "expr/terms.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// How many operators are seen through. Each step costs a merge, and a branch per operand of an
/// extremum.
constexpr int kSteps = 3;
constexpr size_t kMaxBranches = 6;

Interval bounds(Pool::Impl& pool, Terms terms, int steps);

Interval plain_bounds(Terms terms) {
  Interval sum = Interval::point(0);
  for (const Term& term : terms) sum = sum + term.monomial->bounds * term.coefficient;
  return sum;
}

bool is_extremum(const Atom& atom) {
  return atom.kind == AtomKind::kMax || atom.kind == AtomKind::kMin;
}

/// The newest operator that occurs as a factor, if any.
const Atom* newest_operator(Terms terms) {
  const Atom* newest = nullptr;
  for (const Term& term : terms) {
    for (const Factor& factor : term.monomial->factors) {
      const Atom* atom = factor.atom;
      if (atom->kind == AtomKind::kSymbol || atom->kind == AtomKind::kBroadcast) continue;
      if (newest == nullptr || atom->id > newest->id) newest = atom;
    }
  }
  return newest;
}

/// The term that is a multiple of the bare atom, if any.
const Term* term_of(Terms terms, const Atom* atom) {
  const auto at = std::find_if(terms.begin(), terms.end(), [&](const Term& term) {
    return single_atom(term.monomial) == atom;
  });
  return at == terms.end() ? nullptr : &*at;
}

/// Nothing smaller than `low / divisor`, nothing larger than `high / divisor`.
Interval divided_inwards(Interval a, int64_t divisor) {
  const bool low_open = a.lo == Interval::kNegInf;
  const bool high_open = a.hi == Interval::kInf;
  return {low_open ? a.lo : ceil_div(a.lo, divisor), high_open ? a.hi : floor_div(a.hi, divisor)};
}

/// `rest + c*q` where `q = (p - r) / m` and `0 <= r < m`: m*e is `m*rest + c*p - c*r`.
Interval without_quotient(Pool::Impl& pool, Terms terms, const Term& term, const Atom& q, int64_t m,
                          int steps) {
  const int64_t c = term.coefficient;
  const int64_t g = static_cast<int64_t>(gcd_magnitude(c, m));
  TermBuffer rest;
  TermBuffer sum;
  const Term removed[] = {term};
  if (!merge(terms, 1, removed, -1, rest)) return Interval::all();
  if (!merge(rest.terms(), m / g, q.operands[0]->terms, c / g, sum)) return Interval::all();
  const Interval remainder = Interval{0, m - 1} * (c / g);
  return divided_inwards(bounds(pool, sum.terms(), steps - 1) - remainder, m / g);
}

/// `rest + c*max(a, b, ...)`: the greatest of `rest + c*a`, ... for a positive c.
Interval by_branches(Pool::Impl& pool, Terms terms, const Term& term, const Atom& extremum,
                     int steps) {
  if (extremum.operands.size() > kMaxBranches) return Interval::all();
  const bool greatest = (extremum.kind == AtomKind::kMax) == (term.coefficient > 0);
  const Term removed[] = {term};
  TermBuffer rest;
  if (!merge(terms, 1, removed, -1, rest)) return Interval::all();
  Interval result;
  for (const Expr* operand : extremum.operands) {
    TermBuffer branch;
    Interval b = Interval::all();
    if (merge(rest.terms(), 1, operand->terms, term.coefficient, branch)) {
      b = bounds(pool, branch.terms(), steps - 1);
    }
    if (operand == extremum.operands.front()) {
      result = b;
    } else if (greatest) {
      result = {std::max(result.lo, b.lo), std::max(result.hi, b.hi)};
    } else {
      result = {std::min(result.lo, b.lo), std::min(result.hi, b.hi)};
    }
  }
  return result;
}

/// `rest - k*d*q` where `q = floor(p / d)` for a symbolic d: that is `rest - k*p + k*r` with
/// `0 <= r <= d - 1`.
Interval without_symbolic_quotient(Pool::Impl& pool, Terms terms, const Atom& q, int steps) {
  const Expr& p = *q.operands[0];
  const Expr& d = *q.operands[1];
  const Term& lead = leading(d.terms);
  const Factor factor{&q, 1};
  const Term quotient[] = {{pool.monomial({&factor, 1}), 1}};
  const Monomial* pivot = product(pool, lead.monomial, quotient[0].monomial);
  if (pivot == nullptr) return Interval::all();
  const int64_t at_pivot = coefficient_of(terms, pivot);
  if (at_pivot == 0 || at_pivot == INT64_MIN || at_pivot % lead.coefficient != 0) {
    return Interval::all();
  }
  const int64_t k = -(at_pivot / lead.coefficient);
  std::optional<std::vector<Term>> dq = multiplied(pool, d.terms, quotient);
  TermBuffer rest;
  TermBuffer low;
  TermBuffer high;
  const Term minus_one[] = {{pool.one(), -1}};
  TermBuffer most;  // the largest remainder, d - 1
  if (!dq || !collect(*dq) || !merge(terms, 1, *dq, k, rest) ||
      newest_operator(rest.terms()) == &q || !merge(rest.terms(), 1, p.terms, -k, low) ||
      !merge(d.terms, 1, minus_one, 1, most) || !merge(low.terms(), 1, most.terms(), k, high)) {
    return Interval::all();
  }
  const Interval first = bounds(pool, low.terms(), steps - 1);
  const Interval last = bounds(pool, high.terms(), steps - 1);
  return k > 0 ? Interval{first.lo, last.hi} : Interval{last.lo, first.hi};
}

/// `m * rest` for a common monomial m: `n*k - n` is never negative where k is at least 1.
Interval by_common_factor(Pool::Impl& pool, Terms terms, int steps) {
  const Monomial* common = common_factor(pool, terms);
  if (common->id == 0) return Interval::all();
  const std::vector<Term> rest = divided(pool, terms, common, 1);
  return common->bounds * bounds(pool, rest, steps - 1);
}

Interval by_newest_operator(Pool::Impl& pool, Terms terms, int steps) {
  const Atom* atom = newest_operator(terms);
  if (atom == nullptr) return Interval::all();
  const Term* term = term_of(terms, atom);
  if (is_extremum(*atom)) {
    return term == nullptr ? Interval::all() : by_branches(pool, terms, *term, *atom, steps);
  }
  const std::optional<int64_t> m = as_number(atom->operands[1]->terms);
  if (!m) return without_symbolic_quotient(pool, terms, *atom, steps);
  return term == nullptr ? Interval::all() : without_quotient(pool, terms, *term, *atom, *m, steps);
}

Interval bounds(Pool::Impl& pool, Terms terms, int steps) {
  // Without its number a sum may have a common factor.
  if (const int64_t number = constant_part(terms); number != 0 && terms.size() > 1) {
    return Interval::point(number) + bounds(pool, terms.subspan(1), steps);
  }
  const Interval plain = plain_bounds(terms);
  if (steps == 0 || plain.is_point()) return plain;
  // One atom has its own bounds; a product may be less than its factors allow, as in s*(1//s).
  if (terms.size() < 2 && terms[0].monomial->factors.size() < 2) return plain;
  const Interval by_operator = by_newest_operator(pool, terms, steps);
  if (terms.size() < 2) return intersect(plain, by_operator);
  const Interval by_factor = by_common_factor(pool, terms, steps);
  return intersect(plain, intersect(by_operator, by_factor));
}

}  // namespace

Interval sum_bounds(Pool::Impl& pool, Terms terms) { return bounds(pool, terms, kSteps); }

Interval combined_bounds(Pool::Impl& pool, Dim a, int64_t ka, Dim b, int64_t kb) {
  TermBuffer sum;
  if (!merge(a.expr()->terms, ka, b.expr()->terms, kb, sum)) return Interval::all();
  return bounds(pool, sum.terms(), kSteps);
}

}  // namespace onnx_shapes
