// Adds an equality: solves it, and carries on with what follows, until all fits or something does
// not.
#include <algorithm>

#include "facts/knowledge.h"
#include "support/int_math.h"

namespace onnx_shapes {

namespace {

/// The atom, if the form is one with coefficient 1 and a constant, and no symbol; else null.
const Atom* only_atom(const Linear& form) {
  if (form.terms.size() != 1 || form.terms.front().monomial->degree != 1) return nullptr;
  const Atom* atom = form.terms.front().monomial->factors.front().atom;
  return atom->kind == AtomKind::kSymbol ? nullptr : atom;
}

}  // namespace

Knowledge::Outcome Knowledge::add_equal(Dim a, Dim b, Cause cause) {
  const Dim left = resolve(a);
  const Dim right = resolve(b);
  adding_a_ = a;
  adding_b_ = b;
  return settle(combine(left, 1, right, -1), true, cause);
}

Knowledge::Outcome Knowledge::add_at_most(Dim lhs, Dim rhs, Cause cause) {
  const Dim left = resolve(lhs);
  const Dim right = resolve(rhs);
  adding_a_ = lhs;
  adding_b_ = rhs;
  return settle(combine(right, 1, left, -1), false, cause);
}

Knowledge::Outcome Knowledge::settle(Dim form, bool equality, Cause cause) {
  adding_ = cause;
  conflict_ = {};
  steps_ = 0;
  const size_t before = position();
  const uint64_t version = version_;
  pending_.push_back({form, equality, cause});
  if (!settle_pending()) {
    pending_.clear();
    roll_back(before);
    return Outcome::kContradiction;
  }
  return version_ == version ? Outcome::kKnown : Outcome::kNew;
}

/// What does not get its turn, because it is too much, stays unused; that loses knowledge only.
bool Knowledge::settle_pending() {
  while (!pending_.empty() && steps_++ < kMaxSteps) {
    const Pending next = pending_.front();
    pending_.pop_front();
    const Dim form = resolve(next.form);
    if (!form.known()) continue;
    const bool fits =
        next.equality ? settle_equality(form, next.cause) : settle_bound(form, next.cause);
    if (!fits) return false;
  }
  pending_.clear();
  return true;
}

bool Knowledge::settle_equality(Dim form, Cause cause) {
  if (const auto number = form.number()) return *number == 0 || fail(form, cause);
  if (!narrowing_.of(form).contains(0)) return fail(form, cause);
  std::optional<Linear> plain = linear(form);
  if (!plain) return true;
  const int64_t divisor = content(*plain);
  if (plain->constant % divisor != 0) return fail(form, cause);
  plain->constant /= divisor;
  for (Term& term : plain->terms) term.coefficient /= divisor;
  if (const std::optional<Linear> rest = with_known_factor(*plain)) {
    pending_.push_back({to_dim(symbols_.pool(), *rest), true, cause});
    return true;
  }
  const Primitive normal = primitive(without_common_factor(*plain, true));
  Linear reduced = normal.form;
  reduced.constant = normal.constant * normal.factor;
  const Dim part = to_dim(symbols_.pool(), normal.form);
  const Dim dim = to_dim(symbols_.pool(), reduced);
  if (!part.known() || !dim.known() || part.number()) return true;
  bool is_known = false;
  if (const auto found = index_.find(part.expr()); found != index_.end()) {
    const KnownFact& known = facts_[found->second];
    is_known = known.active && known.equality;
    if (is_known && known.form.constant != reduced.constant) {
      return fail(dim, cause != adding_ ? cause : known.cause);
    }
  }
  if (!narrow_factors(reduced, true, cause)) return false;
  // Narrowing may have solved a symbol by now; that comes back as a pending equality.
  if (!mentions_solved(dim)) {
    if (const auto solved = solve_for_a_symbol(solve_context_, dim)) return apply(*solved, cause);
  }
  if (is_known || reduces(reduced, cause)) return true;
  if (!bounds_operands(reduced, cause)) return false;
  const auto index = static_cast<uint32_t>(facts_.size());
  add_fact(dim, reduced, true, cause);
  set_index(part.expr(), index);
  if (const Atom* atom = only_atom(reduced)) retry_sums_with(*atom);
  return true;
}

std::optional<int64_t> Knowledge::number_of(const Monomial& product) {
  if (const Interval range = narrowing_.of(product); range.is_point()) return range.lo;
  const Dim dim = to_dim(symbols_.pool(), linear(&product));
  const auto found = dim.known() ? index_.find(dim.expr()) : index_.end();
  if (found == index_.end()) return std::nullopt;
  const KnownFact& known = facts_[found->second];
  if (!known.active || !known.equality) return std::nullopt;
  return -known.form.constant;
}

std::optional<int64_t> Knowledge::number_of(const Atom& atom) {
  if (atom.kind == AtomKind::kSymbol) return std::nullopt;  // those are solved
  return number_of(*monomial(symbols_.pool(), atom));
}

/// The sum with a factor that is known to equal a number replaced by it: with `q == 4`, `q*N - M`
/// is `4*N - M`. Nothing if there is none.
std::optional<Linear> Knowledge::with_known_factor(const Linear& form) {
  if (form.terms.size() < 2) return std::nullopt;
  for (const Term& term : form.terms) {
    for (const Factor& factor : term.monomial->factors) {
      const std::optional<int64_t> number = number_of(*factor.atom);
      const auto coefficient = number ? checked_mul(term.coefficient, *number) : std::nullopt;
      if (!coefficient) continue;
      Pool& pool = symbols_.pool();
      Linear replaced{.constant = *coefficient, .terms = {}};
      if (term.monomial->degree > 1) {
        replaced =
            linear(quotient(pool, term.monomial, monomial(pool, *factor.atom)), *coefficient);
      }
      const auto rest = combine(form, 1, linear(term.monomial, term.coefficient), -1);
      return rest ? combine(*rest, 1, replaced, 1) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// Sums with an atom that is a number from now on come back without it.
void Knowledge::retry_sums_with(const Atom& atom) {
  const Dim dim = to_dim(symbols_.pool(), atom);
  const std::span<const SymbolId> symbols = lists_.of(dim);
  if (symbols.empty()) return;
  const auto has_atom = [&atom](const Term& term) {
    return std::any_of(term.monomial->factors.begin(), term.monomial->factors.end(),
                       [&atom](const Factor& factor) { return factor.atom == &atom; });
  };
  const std::vector<uint32_t> mentioning(facts_about(symbols.back()).begin(),
                                         facts_about(symbols.back()).end());
  size_t tried = 0;
  for (auto index = mentioning.rbegin(); index != mentioning.rend() && tried < kMaxScanned;
       ++index, ++tried) {
    const KnownFact& old = facts_[*index];
    if (!old.active || !old.equality || old.form.terms.size() < 2 ||
        std::none_of(old.form.terms.begin(), old.form.terms.end(), has_atom)) {
      continue;
    }
    pending_.push_back({old.dim, true, old.cause});
    deactivate(*index);
  }
}

/// A quotient or an extremum that equals a number bounds what it is made of, from both sides.
bool Knowledge::bounds_operands(const Linear& form, Cause cause) {
  if (only_atom(form) == nullptr) return true;
  const std::optional<Linear> opposite = combine(form, -1, Linear{}, 0);
  bool done = false;
  return settle_single_term(form, cause, done) &&
         (!opposite || settle_single_term(*opposite, cause, done));
}

/// Of two equalities that lead with the same monomial, one loses it by subtracting a multiple of
/// the other. True if that is the new one, which then comes back as what is left of it.
bool Knowledge::reduces(const Linear& form, Cause cause) {
  const Term& lead = leading(form);
  size_t tried = 0;
  const std::span<const uint32_t> facts = facts_with(lead.monomial);
  for (auto index = facts.rbegin(); index != facts.rend() && tried < kMaxRetries;
       ++index, ++tried) {
    const KnownFact& known = facts_[*index];
    if (!known.active || !known.equality || leading(known.form).monomial != lead.monomial) continue;
    const int64_t other = leading(known.form).coefficient;
    const bool reduces_new = lead.coefficient % other == 0;
    if (!reduces_new && other % lead.coefficient != 0) continue;
    const std::optional<Linear> rest =
        reduces_new ? combine(form, 1, known.form, -(lead.coefficient / other))
                    : combine(known.form, 1, form, -(other / lead.coefficient));
    if (!rest) continue;
    pending_.push_back({to_dim(symbols_.pool(), *rest), true, reduces_new ? cause : known.cause});
    if (reduces_new) return true;
    deactivate(*index);
  }
  return false;
}

bool Knowledge::apply(const SolvedSymbol& solved, Cause cause) {
  const SymbolId symbol = solved.symbol;
  const Interval range = narrowing_.of(symbols_.pool().symbol(symbol));
  const Interval value = narrowing_.of(solved.value);
  if (intersect(range, value).is_empty()) return fail(symbols_.pool().symbol(symbol), cause);

  Entry& place = entry(symbol);
  place = {};
  place.value = solved.value;
  place.cause = cause;
  place.trigger = adding_;
  place.order = ++solved_count_;
  trail_.push_back({Change::Kind::kSolved, symbol, false, {}, nullptr});
  ++version_;
  ++solution_version_;

  if (solved.remainder.known() && !solved.remainder.is(0)) {
    pending_.push_back({solved.remainder, true, cause});
  }
  // The symbol is within its range, so its value is.
  if (value.lo < range.lo) pending_.push_back({solved.value - range.lo, false, cause});
  if (value.hi > range.hi) pending_.push_back({-solved.value + range.hi, false, cause});
  const auto mentioned = facts_of_.find(symbol);
  if (mentioned == facts_of_.end()) return true;
  for (const uint32_t index : mentioned->second) {
    const KnownFact& old = facts_[index];
    if (!old.active) continue;
    pending_.push_back({old.dim, old.equality, old.cause});
    deactivate(index);
  }
  return true;
}

/// `n*(a - b) == 0` says `a == b` where n cannot be 0, and `n*(a - b) >= 0` says `a >= b` where n
/// is at least 1.
Linear Knowledge::without_common_factor(const Linear& form, bool equality) {
  if (form.constant != 0 || form.terms.empty()) return form;
  Linear result = form;
  const std::span<const Factor> factors = form.terms.front().monomial->factors;
  for (const Factor& factor : factors) {
    const Interval interval = narrowing_.of(*factor.atom);
    const bool nonzero = interval.lo >= 1 || (equality && interval.hi <= -1);
    const auto has_factor = [&factor](const Term& term) {
      const std::span<const Factor> all = term.monomial->factors;
      return std::any_of(all.begin(), all.end(),
                         [&factor](const Factor& other) { return other.atom == factor.atom; });
    };
    const Monomial* divisor = monomial(symbols_.pool(), *factor.atom);
    for (uint32_t i = 0; i < factor.exponent && nonzero; ++i) {
      if (!std::all_of(result.terms.begin(), result.terms.end(), has_factor)) break;
      std::optional<Linear> next = divided(symbols_.pool(), result, divisor);
      if (!next) break;
      result = std::move(*next);
      if (result.terms.empty()) return result;
    }
  }
  return result;
}

int Knowledge::sign(Dim dim) {
  const Interval interval = narrowing_.of(dim);
  if (interval.lo >= 1) return 1;
  return interval.hi <= -1 ? -1 : 0;
}

/// An equality that could not be solved may be solvable now that more is known of a symbol, and a
/// bound on a product may now be one on a factor.
void Knowledge::retry_facts(SymbolId symbol) {
  const auto mentioned = facts_of_.find(symbol);
  if (mentioned == facts_of_.end()) return;
  size_t tried = 0;
  for (auto index = mentioned->second.rbegin();
       index != mentioned->second.rend() && tried < kMaxRetries; ++index, ++tried) {
    const KnownFact& old = facts_[*index];
    if (old.active) pending_.push_back({old.dim, old.equality, old.cause});
  }
}

/// Notes what the constraint being added contradicts: the older constraint that led to the
/// impossible fact, or one that narrowed a symbol in it, or one that solved a symbol on the way.
bool Knowledge::fail(Dim form, Cause cause) {
  conflict_ = {};
  const Dim own = combine(adding_a_, 1, adding_b_, -1);
  const bool own_is_equality = adding_.kind == Cause::Kind::kEquality;
  const Interval own_bounds = own.known() ? own.bounds() : Interval::all();
  if (own_is_equality ? !own_bounds.contains(0) : own_bounds.lo > 0) return false;
  if (cause != adding_) {
    conflict_ = cause;
    return false;
  }
  if (!form.number()) {
    for (const SymbolId symbol : lists_.of(form)) {
      const auto range = ranges_.find(symbol);
      if (range == ranges_.end() || range->second.cause == adding_) continue;
      conflict_ = range->second.cause;
    }
    if (conflict_.kind != Cause::Kind::kNone) return false;
  }
  for (const Dim dim : {adding_a_, adding_b_}) {
    for (const SymbolId symbol : lists_.of(dim)) {
      if (!solved(symbol)) continue;
      for (const Cause& known : causes_of(symbol)) {
        if (known == adding_) continue;
        const bool later =
            known.kind == Cause::Kind::kEquality &&
            (conflict_.kind != Cause::Kind::kEquality || known.index > conflict_.index);
        if (later || conflict_.kind == Cause::Kind::kNone) conflict_ = known;
      }
    }
  }
  return false;
}

}  // namespace onnx_shapes
