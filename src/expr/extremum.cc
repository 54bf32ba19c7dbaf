// The normal form of maxima and minima: flat, without operands that another one makes redundant,
// and with everything that the operands have in common outside.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "expr/bounds.h"
#include "expr/normal_form.h"
#include "expr/terms.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// A nested extremum stays nested if there would be more operands than this.
constexpr size_t kMaxFlatOperands = 16;
constexpr size_t kMaxOperands = 64;
/// Each round of factoring makes the operands smaller.
constexpr int kMaxRounds = 16;

using Dims = std::vector<Dim>;

/// The number that no operand goes beyond, by contract. No rewriting may make an operand of it:
/// the contract is about the operands as they were given.
int64_t neutral(AtomKind kind) { return kind == AtomKind::kMax ? INT64_MIN : INT64_MAX; }

/// A term `factor * extremum`.
struct ExtremumTerm {
  const Monomial* monomial = nullptr;
  Term factor;
  const Atom* extremum = nullptr;
};

/// The only term of the sum that has a maximum or a minimum in it. Where there are more, writing
/// them out would multiply the operands.
std::optional<ExtremumTerm> only_extremum_term(Pool::Impl& pool, Terms terms) {
  std::optional<ExtremumTerm> found;
  for (const Term& term : terms) {
    for (const Factor& factor : term.monomial->factors) {
      if (factor.atom->kind != AtomKind::kMax && factor.atom->kind != AtomKind::kMin) continue;
      if (found || factor.exponent != 1) return std::nullopt;
      const Factor single{factor.atom, 1};
      const Monomial* rest = quotient(pool, term.monomial, pool.monomial({&single, 1}));
      found = ExtremumTerm{term.monomial, {rest, term.coefficient}, factor.atom};
    }
  }
  return found;
}

/// The operands of the operand; empty if it is not flattened. For f >= 0, `r + f*max(x, y)` is
/// `max(r + f*x, r + f*y)`, and `r - f*min(x, y)` is `max(r - f*x, r - f*y)`.
Dims branches(Pool::Impl& pool, Dim operand, AtomKind kind, size_t limit) {
  const AtomKind mirrored = kind == AtomKind::kMax ? AtomKind::kMin : AtomKind::kMax;
  const auto found = only_extremum_term(pool, operand.expr()->terms);
  if (!found || found->factor.monomial->bounds.lo < 0) return {};
  if (found->extremum->kind != (found->factor.coefficient > 0 ? kind : mirrored)) return {};
  if (found->extremum->operands.size() > limit) return {};
  const Dim rest = without_term(pool, operand, found->monomial);
  const Dim factor = pool.sum({&found->factor, 1});
  Dims result;
  for (const Expr* inner : found->extremum->operands) {
    const Dim product = multiply(pool, factor, Dim(inner));
    const Dim branch = product.known() ? add_scaled(pool, rest, 1, product, 1) : Dim();
    if (!branch.known() || branch.is(neutral(kind))) return {};
    result.push_back(branch);
  }
  return result;
}

Dims flattened(Pool::Impl& pool, std::span<const Dim> operands, AtomKind kind) {
  Dims waiting(operands.rbegin(), operands.rend());
  Dims flat;
  while (!waiting.empty()) {
    const Dim operand = waiting.back();
    waiting.pop_back();
    const size_t taken = flat.size() + waiting.size();
    const size_t limit = taken < kMaxFlatOperands ? kMaxFlatOperands - taken : 0;
    const Dims inner = branches(pool, operand, kind, limit);
    if (inner.empty()) {
      flat.push_back(operand);
    } else {
      waiting.insert(waiting.end(), inner.rbegin(), inner.rend());
    }
  }
  return flat;
}

/// Whether `a` is nowhere beyond `b`, so that `a` is redundant beside it.
bool is_redundant(Pool::Impl& pool, Dim a, Dim b, AtomKind kind) {
  const Interval difference = combined_bounds(pool, b, 1, a, -1);
  return kind == AtomKind::kMax ? difference.lo >= 0 : difference.hi <= 0;
}

void sort_by_id(Dims& operands) {
  std::sort(operands.begin(), operands.end(),
            [](Dim a, Dim b) { return a.expr()->id < b.expr()->id; });
}

/// Sorts and leaves out what repeats or is redundant.
void prune(Pool::Impl& pool, Dims& operands, AtomKind kind) {
  sort_by_id(operands);
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  for (size_t i = 0; i < operands.size();) {
    bool redundant = false;
    for (size_t j = 0; j < operands.size() && !redundant; ++j) {
      redundant = i != j && is_redundant(pool, operands[i], operands[j], kind);
    }
    if (redundant) {
      operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

/// For each monomial the smaller of its coefficients in a and in b. False if there is no room.
bool smaller_coefficients(Terms a, Terms b, TermBuffer& out) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].monomial->id < b[j].monomial->id)) {
      if (!out.push(a[i].monomial, std::min<int64_t>(a[i].coefficient, 0))) return false;
      ++i;
    } else if (i == a.size() || b[j].monomial->id < a[i].monomial->id) {
      if (!out.push(b[j].monomial, std::min<int64_t>(b[j].coefficient, 0))) return false;
      ++j;
    } else {
      if (!out.push(a[i].monomial, std::min(a[i].coefficient, b[j].coefficient))) return false;
      ++i;
      ++j;
    }
  }
  return true;
}

/// What can be added to the extremum instead of to each operand. Unknown where it is too long.
Dim common_summand(Pool::Impl& pool, const Dims& operands) {
  Dim common = operands[0];
  for (const Dim operand : operands) {
    TermBuffer smaller;
    if (!common.known()) return common;
    if (!smaller_coefficients(common.expr()->terms, operand.expr()->terms, smaller)) return Dim();
    common = pool.sum(smaller.terms());
  }
  return common;
}

/// `summand + number * monomial * extremum(operands)`.
struct Factored {
  Dims operands;
  Dim summand;
  const Monomial* monomial = nullptr;
  int64_t number = 1;
};

/// Takes out the common summand. False, without a change, if there is none or the rest is too long.
bool take_summand(Pool::Impl& pool, AtomKind kind, Factored& form) {
  const Dim common = common_summand(pool, form.operands);
  if (!common.known() || common.is(0)) return false;
  Dims rest;
  for (const Dim operand : form.operands) {
    rest.push_back(add_scaled(pool, operand, 1, common, -1));
    if (!rest.back().known() || rest.back().is(neutral(kind))) return false;
  }
  const Dim factor = scaled(pool, pool.dim(form.monomial), form.number);
  const Dim outside = factor.known() ? multiply(pool, common, factor) : Dim();
  const Dim summand = outside.known() ? add_scaled(pool, form.summand, 1, outside, 1) : Dim();
  if (!summand.known()) return false;
  form.summand = summand;
  form.operands = std::move(rest);
  return true;
}

/// Takes out the common number and the common product that cannot be negative. False, without a
/// change, if there is none.
bool take_factor(Pool::Impl& pool, AtomKind kind, Factored& form) {
  int64_t number = 0;
  const Monomial* common = nullptr;
  for (const Dim operand : form.operands) {
    const Terms terms = operand.expr()->terms;
    if (terms.empty()) continue;
    number = static_cast<int64_t>(gcd_magnitude(number, content(terms)));
    const Monomial* factor = common_factor(pool, terms);
    common = common == nullptr ? factor : common_factor(pool, common, factor);
  }
  if (common == nullptr) return false;
  common = non_negative_part(pool, common);
  const std::optional<int64_t> outside = checked_mul(form.number, number);
  const Monomial* monomial = product(pool, form.monomial, common);
  if ((number == 1 && common == pool.one()) || !outside || monomial == nullptr) return false;
  Dims rest;
  for (const Dim operand : form.operands) {
    rest.push_back(pool.sum(divided(pool, operand.expr()->terms, common, number)));
    if (rest.back().is(neutral(kind))) return false;
  }
  form.operands = std::move(rest);
  form.number = *outside;
  form.monomial = monomial;
  return true;
}

Interval extremum_bounds(AtomKind kind, const Dims& operands) {
  Interval result = operands[0].bounds();
  for (const Dim operand : operands) {
    const Interval b = operand.bounds();
    result = kind == AtomKind::kMax
                 ? Interval{std::max(result.lo, b.lo), std::max(result.hi, b.hi)}
                 : Interval{std::min(result.lo, b.lo), std::min(result.hi, b.hi)};
  }
  return result;
}

Dim extremum_atom(Pool::Impl& pool, AtomKind kind, const Dims& operands) {
  if (operands.size() == 1) return operands[0];
  std::vector<const Expr*> nodes;
  for (const Dim operand : operands) nodes.push_back(operand.expr());
  return pool.dim(pool.atom(kind, nodes, extremum_bounds(kind, operands)));
}

Dim unfactored(Pool::Impl& pool, AtomKind kind, const Factored& form) {
  const Dim inner = extremum_atom(pool, kind, form.operands);
  const Dim factor = scaled(pool, pool.dim(form.monomial), form.number);
  const Dim product = inner.known() && factor.known() ? multiply(pool, factor, inner) : Dim();
  return product.known() ? add_scaled(pool, form.summand, 1, product, 1) : Dim();
}

Dim extremum_of(std::span<const Dim> dims, AtomKind kind) {
  const bool known =
      !dims.empty() && std::all_of(dims.begin(), dims.end(), [](Dim dim) { return dim.known(); });
  if (!known) return Dim();
  Pool::Impl& pool = dims[0].expr()->pool->impl();
  return pool.checked(extremum(pool, kind, dims));
}

}  // namespace

Dim extremum(Pool::Impl& pool, AtomKind kind, std::span<const Dim> operands) {
  Factored form;
  form.operands.assign(operands.begin(), operands.end());
  std::erase_if(form.operands, [&](Dim operand) { return operand.is(neutral(kind)); });
  if (form.operands.empty()) return pool.number(neutral(kind));
  sort_by_id(form.operands);
  form.summand = pool.number(0);
  form.monomial = pool.one();
  for (int round = 0; round < kMaxRounds; ++round) {
    // What is taken out of all operands, and each operand that goes, may leave one that can be
    // flattened.
    const Dims before = form.operands;
    form.operands = flattened(pool, before, kind);
    if (form.operands.size() > kMaxOperands) return Dim();
    prune(pool, form.operands, kind);
    if (form.operands.size() == 1) break;
    (void)take_summand(pool, kind, form);
    (void)take_factor(pool, kind, form);
    sort_by_id(form.operands);
    if (form.operands == before) break;
  }
  return unfactored(pool, kind, form);
}

Dim max(std::span<const Dim> dims) { return extremum_of(dims, AtomKind::kMax); }
Dim min(std::span<const Dim> dims) { return extremum_of(dims, AtomKind::kMin); }
Dim max(Dim a, Dim b) { return max(std::array{a, b}); }
Dim min(Dim a, Dim b) { return min(std::array{a, b}); }
Dim max(Dim a, int64_t b) { return max(a, number_like(a, b)); }
Dim min(Dim a, int64_t b) { return min(a, number_like(a, b)); }

}  // namespace onnx_shapes
