// Folding of numbers beside floor divisions. A product of two such sums, the size of an image after
// a convolution, is a polynomial of four terms: it folds by putting in `y - s` for `x//c`, where
// y is `(x + s*c)//c`.
#include <algorithm>
#include <optional>
#include <utility>

#include "expr/print_fold.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// Longer sums stay as they are: reading them may take more terms than they have.
constexpr size_t kMaxFoldedTerms = 16;
constexpr uint32_t kMaxExponent = 4;
/// Beyond that a number reads better outside; it has no more to do with the window of a kernel.
constexpr int64_t kMaxShift = 8;

struct Shift {
  const Atom* quotient = nullptr;
  int64_t number = 0;

  bool operator==(const Shift&) const = default;
};

/// `(shifted - number)^exponent` as terms.
std::optional<std::vector<Summand>> expanded(const Atom& shifted, int64_t number,
                                             uint32_t exponent) {
  std::vector<Summand> power = {{1, {}}};
  for (uint32_t i = 0; i < exponent; ++i) {
    std::vector<Summand> next;
    const std::vector<Summand> base = {{1, {{&shifted, 1}}}, {-number, {}}};
    for (const Summand& term : power) {
      if (!add_product(next, term.coefficient, term.factors, base)) return std::nullopt;
    }
    power = std::move(next);
  }
  return power;
}

/// The sum with `shifted - number` in the place of the quotient. Nothing if it gets too large.
std::optional<std::vector<Summand>> substituted(const std::vector<Summand>& sum, const Shift& shift,
                                                const Atom& shifted) {
  std::vector<Summand> result;
  for (const Summand& summand : sum) {
    const auto factor =
        std::find_if(summand.factors.begin(), summand.factors.end(),
                     [&](const Factor& other) { return other.atom == shift.quotient; });
    if (!summand.is_plain()) {
      result.push_back(summand);
      continue;
    }
    const uint32_t exponent = factor == summand.factors.end() ? 0 : factor->exponent;
    if (exponent > kMaxExponent) return std::nullopt;
    const auto power = expanded(shifted, shift.number, exponent);
    const Factor all{shift.quotient, exponent};
    const auto rest = exponent == 0 ? summand.factors : divide(summand.factors, {&all, 1});
    if (!power || !rest || !add_product(result, summand.coefficient, *rest, *power)) {
      return std::nullopt;
    }
  }
  drop_zeros(result);
  return result;
}

/// The shifts after which a pair `k*r*q^e`, `k*e*s*r*q^(e-1)` would be one term.
std::vector<Shift> candidates(std::vector<Summand>& sum) {
  std::vector<Shift> found;
  for (const Summand& summand : sum) {
    if (!summand.is_plain()) continue;
    for (const Factor& factor : summand.factors) {
      if (factor.atom->kind != AtomKind::kFloorDiv) continue;
      const Factor one{factor.atom, 1};
      const auto rest = divide(summand.factors, {&one, 1});
      const auto beside = rest ? find_plain(sum, *rest) : sum.end();
      const auto scale = checked_mul(summand.coefficient, factor.exponent);
      if (beside == sum.end() || !scale || !is_foldable(beside->coefficient)) continue;
      if (beside->coefficient % *scale != 0) continue;
      const Shift shift{factor.atom, beside->coefficient / *scale};
      if (shift.number > kMaxShift || shift.number < -kMaxShift) continue;
      if (std::find(found.begin(), found.end(), shift) == found.end()) found.push_back(shift);
    }
  }
  return found;
}

bool fold_shift(std::vector<Summand>& sum, const FoldContext& context) {
  size_t best_cost = cost(sum, context);
  std::optional<std::vector<Summand>> best;
  for (const Shift& shift : candidates(sum)) {
    const Atom* shifted = context.shifted(*shift.quotient, shift.number);
    auto folded = shifted == nullptr ? std::nullopt : substituted(sum, shift, *shifted);
    if (!folded || folded->size() >= sum.size()) continue;
    const size_t folded_cost = cost(*folded, context);
    if (folded_cost >= best_cost) continue;
    best_cost = folded_cost;
    best = std::move(folded);
  }
  if (!best) return false;
  sum = std::move(*best);
  return true;
}

}  // namespace

void fold_shifts(std::vector<Summand>& sum, const FoldContext& context) {
  if (sum.size() < 2 || sum.size() > kMaxFoldedTerms || !mentions(sum, AtomKind::kFloorDiv)) {
    return;
  }
  while (fold_shift(sum, context)) {
  }
}

}  // namespace onnx_shapes
