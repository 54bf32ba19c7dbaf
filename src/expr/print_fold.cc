// Folding of remainders and maxima: finds the m*(x//m) in a sum and takes the x that stands beside
// it; finds the max(x, y) and takes the y.
#include "expr/print_fold.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// True if every term of scale * rest * terms, but for a number, stands in the sum with the same
/// sign and at least that size: then taking it away leaves nothing that was not there.
bool contains(std::vector<Summand>& sum, int64_t scale, const std::vector<Factor>& rest,
              const std::vector<Summand>& terms) {
  return std::all_of(terms.begin(), terms.end(), [&](const Summand& term) {
    const std::vector<Factor> factors = multiply(rest, term.factors);
    if (factors.empty()) return true;
    const auto same = find_plain(sum, factors);
    const auto wanted = checked_mul(scale, term.coefficient);
    if (same == sum.end() || !wanted) return false;
    return *wanted > 0 ? same->coefficient >= *wanted : same->coefficient <= *wanted;
  });
}

class Folder {
 public:
  Folder(std::vector<Summand>& sum, const FoldContext& context) : sum_(sum), context_(context) {}

  /// Does the fold that saves most; false if there is none.
  bool fold_best() {
    best_.reset();
    best_cost_ = cost(sum_, context_);
    for (const Summand& summand : sum_) {
      if (!summand.is_plain() || !is_foldable(summand.coefficient)) continue;
      for (const Factor& factor : summand.factors) {
        if (factor.atom->kind != AtomKind::kFloorDiv) continue;
        try_quotient(summand, *factor.atom);
        try_nested(summand, *factor.atom);
      }
    }
    if (!best_) return false;
    sum_ = std::move(*best_);
    return true;
  }

 private:
  /// summand = -k * lead * rest * (p//m), with a term `lead` of m: k * rest * (p%m) may fit.
  void try_quotient(const Summand& summand, const Atom& quotient) {
    const std::vector<Summand> modulus = context_.summands(*quotient.operands[1]);
    const std::vector<Summand> dividend = context_.summands(*quotient.operands[0]);
    if (modulus.size() + dividend.size() >= Pool::kMaxTerms) return;
    for (const Summand& lead : modulus) {
      if (summand.coefficient % lead.coefficient != 0) continue;
      const Factor one{&quotient, 1};
      const auto without = divide(summand.factors, {&one, 1});
      const auto rest = without ? divide(*without, lead.factors) : std::nullopt;
      if (!rest) continue;
      const int64_t scale = -(summand.coefficient / lead.coefficient);
      consider({scale, *rest, &quotient}, modulus, dividend);
    }
  }

  /// The same with (p//d)//(m/d), which the engine writes as p//m.
  void try_nested(const Summand& summand, const Atom& quotient) {
    const auto modulus = Dim(quotient.operands[1]).number();
    if (!modulus) return;
    for (const Summand& other : sum_) {
      for (const Factor& factor : other.factors) {
        const Atom& inner = *factor.atom;
        if (inner.kind != AtomKind::kFloorDiv || inner.operands[0] != quotient.operands[0])
          continue;
        const auto divisor = Dim(inner.operands[1]).number();
        if (!divisor || *divisor >= *modulus || *modulus % *divisor != 0) continue;
        const int64_t ratio = *modulus / *divisor;
        if (summand.coefficient % ratio != 0) continue;
        const Factor one{&quotient, 1};
        const auto rest = divide(summand.factors, {&one, 1});
        if (!rest) continue;
        consider({-(summand.coefficient / ratio), *rest, &quotient, &inner}, {{ratio, {}}},
                 {{1, {{&inner, 1}}}});
      }
    }
  }

  void consider(const Summand& remainder, const std::vector<Summand>& modulus,
                const std::vector<Summand>& dividend) {
    if (!contains(sum_, remainder.coefficient, remainder.factors, dividend)) return;
    std::vector<Summand> folded = sum_;
    const std::vector<Factor> quotient =
        multiply(remainder.factors, std::vector<Factor>{{remainder.quotient, 1}});
    if (!add_product(folded, remainder.coefficient, quotient, modulus)) return;
    if (!add_product(folded, -remainder.coefficient, remainder.factors, dividend)) return;
    drop_zeros(folded);
    folded.push_back(remainder);
    if (folded.size() > sum_.size()) return;
    const size_t folded_cost = cost(folded, context_);
    if (folded_cost >= best_cost_) return;
    best_cost_ = folded_cost;
    best_ = std::move(folded);
  }

  std::vector<Summand>& sum_;
  const FoldContext& context_;
  std::optional<std::vector<Summand>> best_;
  size_t best_cost_ = 0;
};

std::vector<const Expr*> in_reading_order(std::span<const Expr* const> operands) {
  std::vector<const Expr*> sorted(operands.begin(), operands.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Expr* a, const Expr* b) { return reads_before(Dim(a), Dim(b)); });
  return sorted;
}

/// Whether `operand` can be taken away from every operand of the maximum.
bool is_subtractable(const Atom& maximum, const Expr& operand, const FoldContext& context) {
  const std::vector<Summand> subtrahend = context.summands(operand);
  return std::all_of(maximum.operands.begin(), maximum.operands.end(), [&](const Expr* other) {
    std::vector<Summand> difference = context.summands(*other);
    return subtract(difference, subtrahend) && difference.size() < Pool::kMaxTerms;
  });
}

/// Folds `c*rest*max(x, y) - c*rest*y`; false if there is nothing of that form in the sum.
bool fold_maximum(std::vector<Summand>& sum, const FoldContext& context) {
  for (const Summand& summand : sum) {
    if (!summand.is_plain() || summand.coefficient < 0) continue;
    for (const Factor& factor : summand.factors) {
      if (factor.atom->kind != AtomKind::kMax) continue;
      const Factor one{factor.atom, 1};
      const auto rest = divide(summand.factors, {&one, 1});
      if (!rest) continue;
      for (const Expr* operand : in_reading_order(factor.atom->operands)) {
        const std::vector<Summand> terms = context.summands(*operand);
        // Reading `max(x - min(y, z), 0)` would write the minimum out.
        const bool nests = mentions(terms, AtomKind::kMax) || mentions(terms, AtomKind::kMin);
        if (terms.empty() || nests) continue;
        std::vector<Summand> folded = sum;
        if (!add_product(folded, summand.coefficient, *rest, terms)) continue;
        drop_zeros(folded);
        if (folded.size() != sum.size() - std::min(sum.size(), terms.size())) continue;
        if (!is_subtractable(*factor.atom, *operand, context)) continue;
        const auto place = find_plain(folded, summand.factors);
        if (place == folded.end()) continue;
        *place = {summand.coefficient, *rest, nullptr, nullptr, factor.atom, operand};
        sum = std::move(folded);
        return true;
      }
    }
  }
  return false;
}

}  // namespace

void fold_remainders(std::vector<Summand>& sum, const FoldContext& context) {
  if (sum.size() < 2 || !mentions(sum, AtomKind::kFloorDiv)) return;
  Folder folder(sum, context);
  while (folder.fold_best()) {
  }
}

void fold_maxima(std::vector<Summand>& sum, const FoldContext& context) {
  if (sum.size() < 2 || !mentions(sum, AtomKind::kMax)) return;
  while (fold_maximum(sum, context)) {
  }
}

}  // namespace onnx_shapes
