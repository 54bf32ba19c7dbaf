// Adds an upper bound: narrows the range of a symbol where the bound speaks of one only, else keeps
// it as a fact.
#include <algorithm>

#include "facts/knowledge.h"
#include "support/int_math.h"

namespace onnx_shapes {

bool Knowledge::settle_bound(Dim form, Cause cause) {
  if (const auto number = form.number()) return *number >= 0 || fail(form, cause);
  const Interval interval = narrowing_.of(form);
  if (interval.lo >= 0) return true;
  if (interval.hi < 0) return fail(form, cause);
  std::optional<Linear> plain = linear(form);
  if (!plain) return true;
  const int64_t divisor = content(*plain);
  plain->constant = floor_div(plain->constant, divisor);
  for (Term& term : plain->terms) term.coefficient /= divisor;
  const Linear reduced = without_common_factor(*plain, false);
  if (reduced.terms.size() == 1) {
    bool done = false;
    if (!settle_single_term(reduced, cause, done)) return false;
    if (done) return true;
  }
  Linear without_constant = reduced;
  without_constant.constant = 0;
  const Dim part = to_dim(symbols_.pool(), without_constant);
  const Dim dim = to_dim(symbols_.pool(), reduced);
  if (!part.known() || !dim.known() || dim.number()) return true;
  if (const auto found = index_.find(part.expr()); found != index_.end()) {
    const KnownFact& known = facts_[found->second];
    if (known.active && known.form.constant <= reduced.constant) return true;
    if (known.active && known.equality) return fail(dim, cause != adding_ ? cause : known.cause);
  }
  if (!meets_opposite(part, reduced, cause)) return false;
  const auto index = static_cast<uint32_t>(facts_.size());
  add_fact(dim, reduced, false, cause);
  set_index(part.expr(), index);
  return true;
}

/// `form >= 0` and `-form + c >= 0` leave c + 1 values; one if c is 0, none if it is negative.
bool Knowledge::meets_opposite(Dim part, const Linear& form, Cause cause) {
  const Dim opposite = -part;
  if (!opposite.known()) return true;
  const auto found = index_.find(opposite.expr());
  if (found == index_.end()) return true;
  const KnownFact& known = facts_[found->second];
  if (!known.active) return true;
  const std::optional<int64_t> values = checked_add(known.form.constant, form.constant);
  if (!values) return true;
  if (*values < 0) return fail(known.dim, cause != adding_ ? cause : known.cause);
  if (*values == 0) pending_.push_back({known.dim, true, cause});
  return true;
}

/// The operand of a maximum that is at least `limit`, or of a minimum that is at most `limit`,
/// where the ranges of the others do not go so far; null if there are several.
const Expr* Knowledge::only_operand_that_reaches(const Atom& atom, bool at_least, int64_t limit) {
  const Expr* only = nullptr;
  for (const Expr* operand : atom.operands) {
    const Interval range = narrowing_.of(Dim(operand));
    if (at_least ? range.hi < limit : range.lo > limit) continue;
    if (only != nullptr) return nullptr;
    only = operand;
  }
  return only;
}

/// A bound on a symbol narrows its range; one on a quotient or an extremum is one on its operands.
/// `done` says that nothing is left to keep.
bool Knowledge::settle_single_term(const Linear& form, Cause cause, bool& done) {
  const Term& term = form.terms.front();
  if (!narrow_factors(form, false, cause)) return false;
  const Monomial& monomial = *term.monomial;
  if (monomial.degree != 1) return true;
  const Atom& atom = *monomial.factors.front().atom;
  const bool at_least = term.coefficient > 0;  // the content is 1, so the coefficient is 1 or -1
  const int64_t limit = at_least ? -form.constant : form.constant;
  if (atom.kind == AtomKind::kSymbol) {
    done = true;
    return narrow(atom.symbol, at_least ? Interval::at_least(limit) : Interval::at_most(limit),
                  cause);
  }
  if (atom.kind == AtomKind::kFloorDiv) {
    // p // m >= k is p >= m*k, and p // m <= k is p <= m*k + m - 1.
    const Dim p(atom.operands[0]);
    const Dim m(atom.operands[1]);
    const Dim product = m * limit;
    pending_.push_back({at_least ? p - product : product + m - 1 - p, false, cause});
    done = m.number().has_value() && pending_.back().form.known();
    return true;
  }
  if (atom.kind == AtomKind::kBroadcast) return true;
  const bool every_operand = (atom.kind == AtomKind::kMax) != at_least;
  const Expr* only = every_operand ? nullptr : only_operand_that_reaches(atom, at_least, limit);
  if (!every_operand && only == nullptr) return true;
  for (const Expr* operand : atom.operands) {
    if (!every_operand && operand != only) continue;
    const Dim dim(operand);
    pending_.push_back({at_least ? dim - limit : -dim + limit, false, cause});
    done = true;
  }
  return true;
}

bool Knowledge::narrow(SymbolId symbol, Interval interval, Cause cause) {
  const Dim dim = symbols_.pool().symbol(symbol);
  const Interval known = narrowing_.of(dim);
  const Interval narrowed = intersect(known, interval);
  if (narrowed == known) return true;
  if (narrowed.is_empty()) return fail(dim, cause);
  set_range(symbol, {narrowed, cause});
  if (narrowed.is_point()) {
    pending_.push_back({dim - narrowed.lo, true, cause});
  } else {
    retry_facts(symbol);
  }
  return true;
}

/// A product of numbers of which none is negative, and which is at least 1, has no factor 0; and no
/// factor exceeds it.
bool Knowledge::narrow_factors(const Linear& form, bool equality, Cause cause) {
  if (form.terms.size() != 1) return true;
  const Term& term = form.terms.front();
  if (term.monomial->degree < 2) return true;
  // The coefficient is 1 or -1.
  Interval product = Interval::all();
  if (equality || term.coefficient > 0) product.lo = -term.coefficient * form.constant;
  if (equality || term.coefficient < 0) product.hi = -term.coefficient * form.constant;
  for (const Factor& factor : term.monomial->factors) {
    if (narrowing_.of(*factor.atom).lo < 0) return true;
  }
  if (product.lo < 1) return true;
  for (const Factor& factor : term.monomial->factors) {
    if (factor.atom->kind == AtomKind::kSymbol) {
      if (!narrow(factor.atom->symbol, {1, product.hi}, cause)) return false;
    } else {
      const Dim dim = to_dim(symbols_.pool(), *factor.atom);
      pending_.push_back({dim - 1, false, cause});
    }
  }
  return true;
}

}  // namespace onnx_shapes
