// The prover: pointers first, then intervals, then residues, then elimination.
#include "facts/prover.h"

#include <algorithm>

#include "expr/normal_form.h"
#include "facts/congruence.h"
#include "facts/constraints_impl.h"
#include "facts/elimination.h"
#include "facts/factors.h"
#include "facts/samples.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// Past this many answers the memo starts anew.
constexpr size_t kMaxMemo = size_t{1} << 16U;

/// An answer, and what was known when it was found.
template <class T>
struct Remembered {
  T answer{};
  uint64_t version = 0;
  uint64_t forgotten = 0;
};

template <class Key, class T, class Hash = std::hash<Key>>
using Memo = std::unordered_map<Key, Remembered<T>, Hash>;

/// A sample with a number as far from 0 as this shows that no bound of use will be found.
constexpr int64_t kFar = int64_t{1} << 16U;

bool is_polynomial(Dim dim) { return dim.expr()->depth == 0; }

}  // namespace

struct Prover::Impl {
  Impl(Pool& in, Knowledge* known)
      : pool(in), knowledge(known), elimination(in, known), samples(in, known) {}

  Pool& pool;
  Knowledge* knowledge;
  Elimination elimination;
  Samples samples;
  Memo<ConstraintKey, Truth, ConstraintKeyHash> equal_memo;
  Memo<ConstraintKey, Truth, ConstraintKeyHash> at_most_memo;
  Memo<const Expr*, Interval> bounds_memo;

  [[nodiscard]] Dim resolve(Dim dim) const {
    return knowledge == nullptr ? dim : knowledge->resolve(dim);
  }
  [[nodiscard]] Interval interval(Dim dim) const {
    return knowledge == nullptr ? dim.bounds() : knowledge->narrowing().of(dim);
  }
  [[nodiscard]] uint64_t version() const { return knowledge == nullptr ? 0 : knowledge->version(); }
  [[nodiscard]] uint64_t forgotten() const {
    return knowledge == nullptr ? 0 : knowledge->forgotten();
  }
  [[nodiscard]] bool only_ranges_known(Dim dim) const {
    return knowledge == nullptr || knowledge->knows_nothing_of(dim);
  }

  Truth equal(Dim a, Dim b);
  Truth at_most(Dim a, Dim b);
  Interval bounds(Dim dim);

  template <class Decide>
  Truth remembered(Memo<ConstraintKey, Truth, ConstraintKeyHash>& memo, Dim a, Dim b,
                   Decide decide);
  Truth decide_equal(Dim a, Dim b);
  Truth decide_at_most(Dim a, Dim b);
  struct Difference;
  Truth equal_within(const Difference& difference, const Seen& seen, size_t budget);
  Truth at_most_within(const Difference& difference, const Seen& seen, size_t budget);
  bool never_0_by_residue(const Linear& form);
  static bool any_product(const Linear& form);
  bool at_least_0_by_factors(const Linear& form);
  bool never_0_by_factors(const Linear& form);
};

/// More knowledge makes no answer wrong, but may replace "unknown".
template <class Decide>
Truth Prover::Impl::remembered(Memo<ConstraintKey, Truth, ConstraintKeyHash>& memo, Dim a, Dim b,
                               Decide decide) {
  const ConstraintKey question{a.expr(), b.expr()};
  if (const auto found = memo.find(question); found != memo.end()) {
    const Remembered<Truth>& known = found->second;
    const bool fresh = known.version == version() + 1;
    const bool settled = known.answer != Truth::kUnknown;
    if (known.forgotten == forgotten() && (fresh || settled)) return known.answer;
  }
  const Truth answer = decide();  // which may ask other questions
  if (memo.size() >= kMaxMemo) memo.clear();
  memo[question] = {answer, version() + 1, forgotten()};
  return answer;
}

Truth Prover::Impl::equal(Dim a, Dim b) {
  if (!a.known() || !b.known()) return Truth::kUnknown;
  if (a == b) return Truth::kTrue;
  a = resolve(a);
  b = resolve(b);
  if (a == b) return Truth::kTrue;
  const Interval left = interval(a);
  const Interval right = interval(b);
  if (intersect(left, right).is_empty()) return Truth::kFalse;
  if (left.is_point() && left == right) return Truth::kTrue;
  if (b.expr()->id < a.expr()->id) std::swap(a, b);
  return remembered(equal_memo, a, b, [&] { return decide_equal(a, b); });
}

struct Prover::Impl::Difference {
  Linear form;      // a - b
  Linear opposite;  // b - a
};

Truth Prover::Impl::decide_equal(Dim a, Dim b) {
  const std::optional<Linear> form = difference(a, b);
  const std::optional<Linear> opposite = difference(b, a);
  if (!form || !opposite) return Truth::kUnknown;
  if (form->is_constant()) return form->constant == 0 ? Truth::kTrue : Truth::kFalse;
  if (form->constant % content(*form) != 0) return Truth::kFalse;
  Seen seen = samples.compare(a, b);
  const Difference difference{*form, *opposite};
  const Truth quick = equal_within(difference, seen, Elimination::kQuickBudget);
  if (quick != Truth::kUnknown) return quick;
  if (!seen.equal) {
    if (never_0_by_residue(*form) || never_0_by_factors(*form)) return Truth::kFalse;
    seen.equal = samples.find(a, b, Samples::Wanted::kEqual);
  }
  return equal_within(difference, seen, Elimination::kBudget);
}

/// Looks only for answers that what was seen leaves possible.
Truth Prover::Impl::equal_within(const Difference& difference, const Seen& seen, size_t budget) {
  const auto& [form, opposite] = difference;
  const bool can_be_true = !seen.less && !seen.greater;
  const bool can_be_false = !seen.equal && !(seen.less && seen.greater);
  if (!can_be_true && !can_be_false) return Truth::kUnknown;
  const int64_t least = seen.less ? Interval::kNegInf : elimination.lower(form, 0, budget);
  if (least >= 1) return Truth::kFalse;
  const int64_t least_opposite = seen.greater || (!can_be_false && least < 0)
                                     ? Interval::kNegInf
                                     : elimination.lower(opposite, 0, budget);
  if (least_opposite >= 1) return Truth::kFalse;
  if (least == 0 && least_opposite == 0) return Truth::kTrue;
  if (!can_be_false) return Truth::kUnknown;
  if (least == 0 && elimination.lower(form, 1, budget) >= 1) return Truth::kFalse;
  if (least_opposite == 0 && elimination.lower(opposite, 1, budget) >= 1) return Truth::kFalse;
  return Truth::kUnknown;
}

/// The moduli worth trying are those that a fact about a part of the form has.
bool Prover::Impl::never_0_by_residue(const Linear& form) {
  if (knowledge == nullptr || !knowledge->any_facts()) return false;
  constexpr size_t kMaxModuli = 4;
  size_t tried = 0;
  for (const Term& term : form.terms) {
    for (const uint32_t index : knowledge->facts_with(term.monomial)) {
      const KnownFact& fact = knowledge->fact(index);
      if (!fact.active || !fact.equality) continue;
      int64_t modulus = 0;
      for (const Term& other : fact.form.terms) {
        if (other.monomial != term.monomial) modulus = std::gcd(modulus, other.coefficient);
      }
      if (modulus < 2) continue;
      const Residue known = residue(pool, knowledge, form, modulus);
      if (known.remainder != 0) return true;
      if (++tried == kMaxModuli) return false;
    }
  }
  return false;
}

Truth Prover::Impl::at_most(Dim a, Dim b) {
  if (!a.known() || !b.known()) return Truth::kUnknown;
  if (a == b) return Truth::kTrue;
  a = resolve(a);
  b = resolve(b);
  if (a == b) return Truth::kTrue;
  const Interval left = interval(a);
  const Interval right = interval(b);
  if (left.hi <= right.lo && left.hi != Interval::kInf) return Truth::kTrue;
  if (left.lo > right.hi) return Truth::kFalse;
  return remembered(at_most_memo, a, b, [&] { return decide_at_most(a, b); });
}

Truth Prover::Impl::decide_at_most(Dim a, Dim b) {
  const std::optional<Linear> form = difference(b, a);
  const std::optional<Linear> opposite = difference(a, b);
  if (!form || !opposite) return Truth::kUnknown;
  Seen seen = samples.compare(a, b);
  if (!seen.greater && at_least_0_by_factors(*form)) return Truth::kTrue;
  const Difference difference{*opposite, *form};
  const Truth quick = at_most_within(difference, seen, Elimination::kQuickBudget);
  if (quick != Truth::kUnknown) return quick;
  if (!seen.greater) seen.greater = samples.find(b, a, Samples::Wanted::kLess);
  if (!seen.less && !seen.equal) seen.less = samples.find(a, b, Samples::Wanted::kAtMost);
  return at_most_within(difference, seen, Elimination::kBudget);
}

bool Prover::Impl::any_product(const Linear& form) {
  return form.terms.size() > 1 &&
         std::any_of(form.terms.begin(), form.terms.end(),
                     [](const Term& term) { return term.monomial->degree > 1; });
}

/// A product is 0 only where a factor is.
bool Prover::Impl::never_0_by_factors(const Linear& form) {
  if (!any_product(form)) return false;
  const std::vector<Linear> parts = factors(pool, form);
  const Dim zero = pool.constant(0);
  return parts.size() > 1 && std::all_of(parts.begin(), parts.end(), [&](const Linear& part) {
           return equal(zero, to_dim(pool, part)) == Truth::kFalse;
         });
}

/// `(N - a)*(M - b)` is a sum of products that elimination does not see through; its factors are
/// easy, and the same ones come back in other products.
bool Prover::Impl::at_least_0_by_factors(const Linear& form) {
  if (!any_product(form)) return false;
  const std::vector<Linear> parts = factors(pool, form);
  if (parts.size() < 2) return false;
  const Dim zero = pool.constant(0);
  bool negative = false;
  for (const Linear& part : parts) {
    const Dim factor = to_dim(pool, part);
    if (at_most(zero, factor) == Truth::kTrue) continue;
    if (at_most(factor, zero) != Truth::kTrue) return false;
    negative = !negative;
  }
  return !negative;
}

Truth Prover::Impl::at_most_within(const Difference& difference, const Seen& seen, size_t budget) {
  const auto& [form, opposite] = difference;
  if (!seen.greater && elimination.lower(opposite, 0, budget) >= 0) return Truth::kTrue;
  if (seen.less || seen.equal) return Truth::kUnknown;
  return elimination.lower(form, 1, budget) >= 1 ? Truth::kFalse : Truth::kUnknown;
}

Interval Prover::Impl::bounds(Dim dim) {
  if (!dim.known()) return Interval::all();
  dim = resolve(dim);
  const Interval plain = interval(dim);
  if (plain.is_point()) return plain;
  // The interval that travels with the expression says all there is of a symbol.
  if (is_polynomial(dim) && only_ranges_known(dim)) return plain;
  if (bounds_memo.size() >= kMaxMemo) bounds_memo.clear();
  if (const auto known = bounds_memo.find(dim.expr()); known != bounds_memo.end()) {
    const Remembered<Interval>& place = known->second;
    if (place.version == version() + 1 && place.forgotten == forgotten()) return place.answer;
  }
  Interval found = plain;
  const std::optional<Linear> form = linear(dim);
  const std::optional<Linear> opposite = form ? combine(*form, -1, Linear{}, 0) : std::nullopt;
  if (opposite) {
    constexpr size_t kBudget = Elimination::kBoundsBudget;
    if (found.lo < 0 && at_least_0_by_factors(*form)) found.lo = 0;
    if (found.hi > 0 && at_least_0_by_factors(*opposite)) found.hi = 0;
    // No bound is narrower than what was seen.
    const Interval seen = samples.range(dim).value_or(Interval{Interval::kInf, Interval::kNegInf});
    if (found.lo < seen.lo && seen.lo > -kFar) {
      found.lo = std::max(found.lo, elimination.lower(*form, seen.lo, kBudget));
    }
    if (found.hi > seen.hi && seen.hi < kFar) {
      const int64_t target = seen.hi == Interval::kNegInf ? Interval::kInf : -seen.hi;
      const int64_t least = elimination.lower(*opposite, target, kBudget);
      if (least != Interval::kNegInf) found.hi = std::min(found.hi, -least);
    }
  }
  // Facts that contradict each other, which no run satisfies.
  if (found.is_empty()) found = plain;
  bounds_memo[dim.expr()] = {found, version() + 1, forgotten()};
  return found;
}

Prover::Prover(Pool& pool, const ConstraintSet* constraints)
    : impl_(std::make_unique<Impl>(pool,
                                   constraints == nullptr ? nullptr : constraints->knowledge())) {}

Prover::~Prover() = default;

Truth Prover::equal(Dim a, Dim b) { return impl_->equal(a, b); }

Truth Prover::at_most(Dim a, Dim b) { return impl_->at_most(a, b); }

Truth Prover::less(Dim a, Dim b) {
  switch (at_most(b, a)) {
    case Truth::kTrue:
      return Truth::kFalse;
    case Truth::kFalse:
      return Truth::kTrue;
    case Truth::kUnknown:
      break;
  }
  return Truth::kUnknown;
}

Truth Prover::divisible(Dim dim, int64_t by) {
  if (!dim.known() || by < 1) return Truth::kUnknown;
  if (by == 1) return Truth::kTrue;
  dim = impl_->resolve(dim);
  if (const std::optional<Linear> form = linear(dim)) {
    const Residue known = residue(impl_->pool, impl_->knowledge, *form, by);
    if (known.remainder != 0) return Truth::kFalse;
    if (known.modulus == by) return Truth::kTrue;
  }
  Pool::Impl& pool = impl_->pool.impl();
  const Dim quotient = divide(pool, dim, pool.number(by));
  if (!quotient.known()) return Truth::kUnknown;
  const Dim multiple = scaled(pool, quotient, by);
  return impl_->equal(dim, multiple);
}

Interval Prover::bounds(Dim dim) { return impl_->bounds(dim); }

bool Prover::provably_at_least(Dim dim, int64_t n) {
  if (!dim.known()) return false;
  return at_most(impl_->pool.constant(n), dim) == Truth::kTrue;
}

bool Prover::provably_not(Dim dim, int64_t n) {
  if (!dim.known()) return false;
  return equal(dim, impl_->pool.constant(n)) == Truth::kFalse;
}

}  // namespace onnx_shapes
