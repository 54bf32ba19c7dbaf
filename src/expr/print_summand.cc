// Arithmetic on sums that are about to be printed.
#include "expr/print_summand.h"

#include <algorithm>
#include <utility>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr int64_t kLargestFolded = int64_t{1} << 40;

size_t digits(int64_t number) {
  size_t count = 1;
  for (; number > 9 || number < -9; number /= 10) ++count;
  return count;
}

}  // namespace

size_t Summand::degree() const {
  size_t degree = is_plain() ? 0 : 1;
  for (const Factor& factor : factors) degree += factor.exponent;
  return degree;
}

bool is_foldable(int64_t coefficient) {
  return coefficient <= kLargestFolded && coefficient >= -kLargestFolded;
}

std::vector<Factor> multiply(const std::vector<Factor>& a, std::span<const Factor> b) {
  std::vector<Factor> product;
  product.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom->id < j->atom->id)) {
      product.push_back(*i++);
    } else if (i == a.end() || j->atom->id < i->atom->id) {
      product.push_back(*j++);
    } else {
      product.push_back({i->atom, i->exponent + j->exponent});
      ++i;
      ++j;
    }
  }
  return product;
}

std::optional<std::vector<Factor>> divide(const std::vector<Factor>& a, std::span<const Factor> b) {
  std::vector<Factor> rest;
  auto j = b.begin();
  for (Factor factor : a) {
    if (j != b.end() && j->atom == factor.atom) {
      if (j->exponent > factor.exponent) return std::nullopt;
      factor.exponent -= j->exponent;
      ++j;
    }
    if (factor.exponent > 0) rest.push_back(factor);
  }
  if (j != b.end()) return std::nullopt;
  return rest;
}

bool mentions(const std::vector<Summand>& sum, AtomKind kind) {
  return std::any_of(sum.begin(), sum.end(), [kind](const Summand& summand) {
    return std::any_of(summand.factors.begin(), summand.factors.end(),
                       [kind](const Factor& factor) { return factor.atom->kind == kind; });
  });
}

std::vector<Summand>::iterator find_plain(std::vector<Summand>& sum,
                                          const std::vector<Factor>& factors) {
  return std::find_if(sum.begin(), sum.end(), [&](const Summand& summand) {
    return summand.is_plain() && summand.factors == factors;
  });
}

size_t cost(const std::vector<Summand>& sum, const FoldContext& context) {
  constexpr size_t kSeparator = 3;
  // A minus in front, and parentheses behind it.
  constexpr size_t kNegative = 4;
  const bool has_positive = std::any_of(
      sum.begin(), sum.end(), [](const Summand& summand) { return summand.coefficient > 0; });
  size_t total = has_positive ? 0 : kNegative;
  for (const Summand& summand : sum) {
    const bool is_unit = summand.coefficient == 1 || summand.coefficient == -1;
    size_t length = kSeparator;
    size_t parts = 0;
    if (!is_unit || summand.is_number()) {
      length += digits(summand.coefficient);
      ++parts;
    }
    size_t divisions = summand.quotient != nullptr ? 1 : 0;
    if (summand.quotient != nullptr) length += context.text_length(*summand.quotient) - 1;
    for (const Factor& factor : summand.factors) {
      length += factor.exponent * context.text_length(*factor.atom);
      parts += factor.exponent;
      if (factor.atom->kind == AtomKind::kFloorDiv) divisions += factor.exponent;
    }
    parts += summand.quotient != nullptr ? 1 : 0;
    if (parts > 1) length += parts - 1 + 2 * divisions;
    total += length;
  }
  return total;
}

bool add_product(std::vector<Summand>& sum, int64_t scale, const std::vector<Factor>& rest,
                 const std::vector<Summand>& terms) {
  for (const Summand& term : terms) {
    const auto coefficient = checked_mul(scale, term.coefficient);
    if (!coefficient || !is_foldable(*coefficient)) return false;
    std::vector<Factor> factors = multiply(rest, term.factors);
    const auto same = find_plain(sum, factors);
    if (same == sum.end()) {
      sum.push_back({*coefficient, std::move(factors)});
    } else if (is_foldable(same->coefficient)) {
      same->coefficient += *coefficient;
    } else {
      return false;
    }
  }
  return true;
}

bool subtract(std::vector<Summand>& sum, const std::vector<Summand>& terms) {
  if (!add_product(sum, -1, {}, terms)) return false;
  drop_zeros(sum);
  return true;
}

void drop_zeros(std::vector<Summand>& sum) {
  std::erase_if(sum, [](const Summand& summand) { return summand.coefficient == 0; });
}

}  // namespace onnx_shapes
