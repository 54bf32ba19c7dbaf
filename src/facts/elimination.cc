// The search for a lower bound: which facts speak of the pivot, and what is left without it.
#include "facts/elimination.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// A lower bound that does not fit may be weakened.
int64_t saturated(Wide bound) {
  if (bound <= Interval::kNegInf) return Interval::kNegInf;
  return bound >= Interval::kInf ? Interval::kInf - 1 : static_cast<int64_t>(bound);
}

/// A target that does not fit is out of reach.
int64_t saturated_target(Wide target) {
  if (target <= Interval::kNegInf) return Interval::kNegInf + 1;
  return target >= Interval::kInf ? Interval::kInf : static_cast<int64_t>(target);
}

}  // namespace

int64_t Elimination::lower(const Linear& form, int64_t target, size_t budget) {
  steps_left_ = budget;
  memo_.clear();
  return lower_within(form, target, kMaxDepth);
}

Interval Elimination::interval(const Monomial& monomial) {
  return knowledge_ == nullptr ? monomial.bounds : knowledge_->narrowing().of(monomial);
}

Interval Elimination::interval(const Atom& atom) {
  return knowledge_ == nullptr ? atom.bounds : knowledge_->narrowing().of(atom);
}

int64_t Elimination::lower_within(const Linear& form, int64_t target, int depth) {
  if (form.is_constant()) return form.constant;
  const int64_t factor = content(form);
  Linear reduced = form;
  reduced.constant = 0;
  if (factor != 1) {
    for (Term& term : reduced.terms) term.coefficient /= factor;
  }
  int64_t inner_target = Interval::kInf;
  if (target != Interval::kInf) {
    const Wide distance = Wide{target} - form.constant;
    const Wide quotient = distance / factor + (distance % factor > 0 ? 1 : 0);
    inner_target = saturated_target(quotient);
  }
  const int64_t found = lower_of_primitive(reduced, inner_target, depth);
  if (found == Interval::kNegInf) return found;
  return saturated(Wide{found} * factor + form.constant);
}

int64_t Elimination::interval_lower(const Linear& form) {
  Wide sum = 0;
  for (const Term& term : form.terms) {
    const Interval range = interval(*term.monomial);
    const int64_t end = term.coefficient > 0 ? range.lo : range.hi;
    if (end == Interval::kNegInf || end == Interval::kInf) return Interval::kNegInf;
    sum += Wide{end} * term.coefficient;
  }
  return saturated(sum);
}

int64_t Elimination::lower_of_primitive(const Linear& form, int64_t target, int depth) {
  const int64_t base = interval_lower(form);
  if (base >= target || depth <= 0 || steps_left_ == 0) return base;
  --steps_left_;
  const Key key{context_, form};
  if (const auto known = memo_.find(key); known != memo_.end()) {
    const Found& found = known->second;
    if (found.best >= target || (found.depth >= depth && found.target >= target)) {
      return std::max(base, found.best);
    }
  }
  // A form that comes back to itself learns nothing from doing so.
  memo_[key] = {base, target, depth};
  Search search{form, target, depth, base, {}};
  by_common_factor(search);
  for (const Term& pivot : pivots(form)) {
    if (over(search)) break;
    search.pivot = pivot;
    with_pivot(search);
  }
  Found& found = memo_[key];
  found = {std::max(search.best, found.best), target, depth};
  return found.best;
}

/// Whatever proves a bound eliminates the leading monomial at some time, so it comes first. Where
/// the facts that do so lead back to it, another one has to go before.
std::vector<Term> Elimination::pivots(const Linear& form) {
  std::vector<Term> result = form.terms;
  std::sort(result.begin(), result.end(), [](const Term& a, const Term& b) {
    return eliminates_before(*a.monomial, *b.monomial);
  });
  const auto useless = [&](const Term& term) {
    const Atom& atom = *term.monomial->factors.back().atom;
    return atom.kind == AtomKind::kSymbol && !any_fact_with(*term.monomial) &&
           quotients_of(form, *term.monomial).empty();
  };
  result.erase(std::remove_if(result.begin() + 1, result.end(), useless), result.end());
  if (result.size() > kMaxPivots) result.resize(kMaxPivots);
  return result;
}

bool Elimination::any_fact_with(const Monomial& monomial) const {
  if (knowledge_ != nullptr && !knowledge_->facts_with(&monomial).empty()) return true;
  return std::any_of(assumptions_.begin(), assumptions_.end(), [&](const Assumption& known) {
    return known.form.coefficient(&monomial) != 0;
  });
}

void Elimination::with_pivot(Search& search) {
  by_own_interval(search);
  if (!over(search)) by_known_facts(search);
  const Atom& atom = *search.pivot.monomial->factors.back().atom;
  if (!over(search)) by_atom(search, atom);
  if (!over(search) && atom.kind == AtomKind::kSymbol) by_quotients(search);
  if (!over(search)) by_products(search);
  if (!over(search)) by_cases(search, atom);
}

void Elimination::by_own_interval(Search& search) {
  const Interval range = interval(*search.pivot.monomial);
  const int64_t a = search.pivot.coefficient;
  const int64_t end = a > 0 ? range.lo : range.hi;
  if (end == Interval::kNegInf || end == Interval::kInf) return;
  const std::optional<Linear> rest = combine(search.form, 1, linear(search.pivot.monomial), -a);
  if (!rest) return;
  const Wide part = Wide{end} * a;
  const int64_t target = search.target == Interval::kInf
                             ? Interval::kInf
                             : saturated_target(Wide{search.target} - part);
  const int64_t bound = lower_within(*rest, target, search.depth);
  if (bound != Interval::kNegInf) search.found(saturated(part + bound));
}

/// m*form - k*fact has no pivot, and form >= (m*form - k*fact) / m.
void Elimination::with_fact(Search& search, const Linear& fact, bool equality) {
  if (over(search)) return;
  const int64_t a = search.pivot.coefficient;
  const int64_t b = fact.coefficient(search.pivot.monomial);
  if (b == 0) return;
  const bool same_sign = (a > 0) == (b > 0);
  if (!same_sign && !equality) return;
  const int64_t g = std::gcd(a, b);
  const int64_t m = std::abs(b / g);
  const int64_t k = std::abs(a / g);
  const std::optional<Linear> rest = combine(search.form, m, fact, same_sign ? -k : k);
  if (!rest) return;
  const int64_t target = search.target == Interval::kInf
                             ? Interval::kInf
                             : saturated_target(Wide{m} * (Wide{search.target} - 1) + 1);
  const int64_t bound = lower_within(*rest, target, search.depth - 1);
  if (bound != Interval::kNegInf) search.found(ceil_div(bound, m));
}

/// The fact times the product that turns one of its monomials with the atom into the pivot, if that
/// product is never negative.
void Elimination::with_multiple(Search& search, const Linear& fact, const Atom& atom,
                                bool equality) {
  if (over(search)) return;
  const Monomial& pivot = *search.pivot.monomial;
  for (const Term& term : fact.terms) {
    const std::span<const Factor> factors = term.monomial->factors;
    const bool has_atom = std::any_of(factors.begin(), factors.end(),
                                      [&](const Factor& factor) { return factor.atom == &atom; });
    if (!has_atom || !divides(*term.monomial, pivot)) continue;
    if (term.monomial == &pivot) return with_fact(search, fact, equality);
    const Monomial* multiple = quotient(pool_, &pivot, term.monomial);
    if (!equality && interval(*multiple).lo < 0) continue;
    const std::optional<Linear> scaled = product(pool_, fact, linear(multiple));
    if (scaled) with_fact(search, *scaled, equality);
    return;
  }
}

void Elimination::by_known_facts(Search& search) {
  for (size_t i = assumptions_.size(); i-- > 0 && !over(search);) {
    const Assumption assumption = assumptions_[i];
    with_fact(search, assumption.form, assumption.equality);
  }
  if (knowledge_ == nullptr || !knowledge_->any_facts()) return;
  const std::span<const uint32_t> facts = knowledge_->facts_with(search.pivot.monomial);
  size_t tried = 0;
  // Facts of which the pivot is the leading monomial speak of older ones otherwise, so they come to
  // an end sooner.
  for (const bool leads : {true, false}) {
    size_t seen = 0;
    for (auto index = facts.rbegin(); index != facts.rend(); ++index) {
      if (tried >= kMaxFacts || ++seen > 4 * kMaxFacts || over(search)) break;
      const KnownFact& fact = knowledge_->fact(*index);
      if (!fact.active) continue;
      if ((leading(fact.form).monomial == search.pivot.monomial) != leads) continue;
      with_fact(search, fact.form, fact.equality);
      ++tried;
    }
  }
}

/// The quotients with a constant divisor in the form that are made of the symbol.
std::vector<const Atom*> Elimination::quotients_of(const Linear& form, const Monomial& symbol) {
  std::vector<const Atom*> result;
  if (symbol.degree != 1) return result;
  for (const Term& term : form.terms) {
    const Atom& atom = *term.monomial->factors.front().atom;
    if (term.monomial->degree != 1 || atom.kind != AtomKind::kFloorDiv) continue;
    const Expr& numerator = *atom.operands[0];
    const bool has_symbol = std::any_of(numerator.terms.begin(), numerator.terms.end(),
                                        [&](const Term& part) { return part.monomial == &symbol; });
    if (has_symbol && Dim(atom.operands[1]).number()) result.push_back(&atom);
  }
  return result;
}

/// What a quotient in the form says of the symbol that it is made of.
void Elimination::by_quotients(Search& search) {
  for (const Atom* atom : quotients_of(search.form, *search.pivot.monomial)) {
    const std::optional<Remainder> known = remainder(*atom);
    if (!known) continue;
    with_fact(search, known->least);
    if (known->most) with_fact(search, *known->most);
  }
}

/// 0 <= p - d*(p // d) <= d - 1.
std::optional<Elimination::Remainder> Elimination::remainder(const Atom& quotient) {
  const std::optional<Linear> p = linear(Dim(quotient.operands[0]));
  const std::optional<Linear> d = linear(Dim(quotient.operands[1]));
  const std::optional<Linear> multiple =
      d ? product(pool_, *d, linear(monomial(pool_, quotient))) : std::nullopt;
  if (!p || !multiple) return std::nullopt;
  const std::optional<Linear> least = combine(*p, 1, *multiple, -1);
  if (!least) return std::nullopt;
  Remainder result{*least, combine(*d, 1, *least, -1)};
  if (result.most && result.most->constant > -Linear::kLimit + 1) {
    result.most->constant -= 1;
  } else {
    result.most.reset();
  }
  return result;
}

void Elimination::by_atom(Search& search, const Atom& atom) {
  if (atom.kind == AtomKind::kFloorDiv) {
    const std::optional<Remainder> known = remainder(atom);
    if (!known) return;
    with_multiple(search, known->least, atom);
    if (known->most) with_multiple(search, *known->most, atom);
    if (!Dim(atom.operands[1]).number()) by_divisor(search, atom);
    return;
  }
  if (atom.kind != AtomKind::kMax && atom.kind != AtomKind::kMin) return;
  const Linear self = linear(monomial(pool_, atom));
  const int64_t sign = atom.kind == AtomKind::kMax ? 1 : -1;
  for (const Expr* operand : atom.operands) {
    const std::optional<Linear> other = linear(Dim(operand));
    const std::optional<Linear> fact = other ? combine(self, sign, *other, -sign) : std::nullopt;
    if (fact) with_multiple(search, *fact, atom);
  }
}

/// With d >= 1, form >= target where `d*(form - target) >= -(d - 1)`; there the quotient p // d
/// stands in the product d * (p // d), which is known to within d.
void Elimination::by_divisor(Search& search, const Atom& quotient) {
  if (over(search) || search.target == Interval::kInf) return;
  const std::optional<Linear> d = linear(Dim(quotient.operands[1]));
  if (!d || d->is_constant()) return;
  const std::optional<Linear> multiple =
      product(pool_, linear(leading(*d).monomial), linear(monomial(pool_, quotient)));
  if (!multiple || divides(*multiple->terms.front().monomial, *search.pivot.monomial)) return;
  Linear difference = search.form;
  if (search.target <= -Linear::kLimit || search.target >= Linear::kLimit) return;
  difference.constant = -search.target;
  std::optional<Linear> product_form = product(pool_, difference, *d);
  if (!product_form) return;
  product_form = combine(*product_form, 1, *d, 1);
  if (!product_form) return;
  if (lower_within(*product_form, 1, search.depth - 1) >= 1) search.found(search.target);
}

/// `n*a - n*b` is n times `a - b`.
void Elimination::by_common_factor(Search& search) {
  if (search.form.terms.size() < 2) return;
  const std::span<const Factor> factors = search.form.terms.front().monomial->factors;
  for (const Factor& factor : factors) {
    if (over(search)) return;
    const Monomial* single = monomial(pool_, *factor.atom);
    const std::optional<Linear> rest = divided(pool_, search.form, single);
    if (!rest) continue;
    const Interval range = interval(*factor.atom);
    if (range.lo < 0) continue;
    const int64_t target = std::max<int64_t>(search.target, 0);
    const int64_t bound = lower_within(*rest, target, search.depth - 1);
    if (bound >= 0) {
      search.found(saturated(Wide{bound} * range.lo));
      continue;
    }
    if (bound != Interval::kNegInf && range.hi != Interval::kInf) {
      search.found(saturated(Wide{bound} * range.hi));
    }
    // Where the factor is 0 the product is, so for a bound of 0 the factor may be taken for more.
    if (range.lo > 0 || search.target > 0 || assumptions_.size() >= kMaxAssumptions) continue;
    Linear positive = linear(single);
    positive.constant = -1;
    const uint32_t outer_context = context_;
    context_ = next_context_++;
    assumptions_.push_back({std::move(positive), false});
    if (lower_within(*rest, 0, search.depth - 1) >= 0) search.found(0);
    assumptions_.pop_back();
    context_ = outer_context;
  }
}

/// Facts about one factor of the pivot, times the others where those are never negative.
void Elimination::by_products(Search& search) {
  const Monomial& pivot = *search.pivot.monomial;
  if (pivot.degree < 2) return;
  for (size_t i = pivot.factors.size(); i-- > 0 && !over(search);) {
    const Atom& atom = *pivot.factors[i].atom;
    const Monomial* single = monomial(pool_, atom);
    const Interval range = interval(atom);
    if (range.lo != Interval::kNegInf && range.lo > -Linear::kLimit && range.lo < Linear::kLimit) {
      Linear fact = linear(single);
      fact.constant = -range.lo;
      with_multiple(search, fact, atom);
    }
    if (range.hi != Interval::kInf && range.hi < Linear::kLimit && range.hi > -Linear::kLimit) {
      Linear fact = linear(single, -1);
      fact.constant = range.hi;
      with_multiple(search, fact, atom);
    }
    for (size_t j = assumptions_.size(); j-- > 0 && !over(search);) {
      const Assumption assumption = assumptions_[j];
      with_multiple(search, assumption.form, atom, assumption.equality);
    }
    if (knowledge_ == nullptr || !knowledge_->any_facts()) continue;
    const std::span<const uint32_t> facts = knowledge_->facts_with(single);
    size_t tried = 0;
    for (auto index = facts.rbegin(); index != facts.rend() && tried < kMaxFacts; ++index) {
      const KnownFact& fact = knowledge_->fact(*index);
      ++tried;
      if (fact.active) with_multiple(search, fact.form, atom, fact.equality);
    }
  }
}

}  // namespace onnx_shapes
