// Arithmetic on exact quotients of expressions.
#include "expr/parse_ratio.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr int64_t kMaxExponent = 64;

constexpr std::string_view kTooLarge = "the expression is too large";
constexpr std::string_view kNotPositive = "the divisor is not positive";
constexpr std::string_view kByZero = "division by zero";

Pool& pool_of(Ratio ratio) { return *ratio.numerator.expr()->pool; }

/// The largest number that divides the divisor and every coefficient of the dim.
int64_t common_divisor(Dim dim, int64_t divisor) {
  for (const Term& term : dim.expr()->terms) {
    // The divisor is positive, so the magnitude fits.
    divisor = static_cast<int64_t>(gcd_magnitude(term.coefficient, divisor));
  }
  return divisor;
}

/// In lowest terms. The denominator is positive, by number or by contract.
RatioResult reduced(Dim numerator, Dim denominator) {
  if (!numerator.known() || !denominator.known()) return Failure{kTooLarge};
  if (denominator.is(1)) return Ratio{numerator, denominator};
  Pool& pool = *numerator.expr()->pool;
  if (const auto divisor = denominator.number()) {
    const int64_t common = common_divisor(numerator, *divisor);
    return Ratio{common == 1 ? numerator : floor_div(numerator, common),
                 pool.constant(*divisor / common)};
  }
  const Dim quotient = exact_quotient(numerator, denominator);
  if (quotient.known()) return whole(pool, quotient);
  return Ratio{numerator, denominator};
}

/// Turns the signs so that the divisor can be positive. Says why it cannot be a divisor; nothing if
/// it can.
std::optional<std::string_view> divisor_problem(Ratio& dividend, Ratio& divisor) {
  if (divisor.numerator.bounds().hi < 0) {
    dividend.numerator = -dividend.numerator;
    divisor.numerator = -divisor.numerator;
  }
  if (divisor.numerator.is(0)) return kByZero;
  if (divisor.numerator.bounds().hi < 1) return kNotPositive;
  return std::nullopt;
}

/// Both brought to the denominator that is returned.
std::pair<Dim, std::pair<Dim, Dim>> same_denominator(Ratio a, Ratio b) {
  if (a.denominator == b.denominator) return {a.denominator, {a.numerator, b.numerator}};
  return {a.denominator * b.denominator,
          {a.numerator * b.denominator, b.numerator * a.denominator}};
}

/// True for `-N` and `1 - 2*N`: every symbol counts down.
bool counts_down(Dim dim) {
  const auto symbolic = [](const Term& term) { return term.monomial->degree > 0; };
  const std::span<const Term> terms = dim.expr()->terms;
  return std::any_of(terms.begin(), terms.end(), symbolic) &&
         std::none_of(terms.begin(), terms.end(),
                      [&](const Term& term) { return symbolic(term) && term.coefficient > 0; });
}

using Rounding = Dim (*)(Dim, Dim);

/// Over a number, `-x` rounded one way is minus `x` rounded the other way, which the engine brings
/// into a shorter form: `-(-N//8)` is how Python writes a division that rounds up.
RatioResult rounded_quotient(Ratio a, Ratio b, Rounding rounded, Rounding opposite) {
  if (const auto problem = divisor_problem(a, b)) return Failure{*problem};
  const Dim one = pool_of(a).constant(1);
  const Dim dividend = a.numerator * b.denominator;
  const Dim divisor = a.denominator * b.numerator;
  const bool mirrored = dividend.known() && divisor.number() && counts_down(dividend);
  return reduced(mirrored ? -opposite(-dividend, divisor) : rounded(dividend, divisor), one);
}

/// All at once: how the engine nests large ones depends on what it sees together.
RatioResult extremum(std::span<const Ratio> ratios, Dim (*choose)(std::span<const Dim>)) {
  Dim denominator = pool_of(ratios[0]).constant(1);
  for (const Ratio& ratio : ratios) {
    if (!exact_quotient(denominator, ratio.denominator).known())
      denominator = denominator * ratio.denominator;
  }
  std::vector<Dim> numerators;
  for (const Ratio& ratio : ratios) {
    numerators.push_back(ratio.numerator * exact_quotient(denominator, ratio.denominator));
  }
  return reduced(choose(numerators), denominator);
}

}  // namespace

Ratio whole(Pool& pool, Dim dim) { return {dim, pool.constant(1)}; }

RatioResult number(Pool& pool, uint64_t magnitude, int64_t scale) {
  if (magnitude > static_cast<uint64_t>(INT64_MAX)) return Failure{kTooLarge};
  return reduced(pool.constant(static_cast<int64_t>(magnitude)), pool.constant(scale));
}

RatioResult add(Ratio a, Ratio b) {
  const auto [denominator, numerators] = same_denominator(a, b);
  return reduced(numerators.first + numerators.second, denominator);
}

RatioResult sum(std::span<const Ratio> ratios) {
  if (std::all_of(ratios.begin(), ratios.end(), [](const Ratio& r) { return r.is_whole(); })) {
    std::vector<Dim> dims;
    for (const Ratio& ratio : ratios) dims.push_back(ratio.numerator);
    return reduced(sum(dims), ratios[0].denominator);
  }
  RatioResult result = ratios[0];
  for (const Ratio& ratio : ratios.subspan(1)) {
    if (result) result = add(*result, ratio);
  }
  return result;
}

RatioResult subtract(Ratio a, Ratio b) {
  const auto [denominator, numerators] = same_denominator(a, b);
  return reduced(numerators.first - numerators.second, denominator);
}

RatioResult multiply(Ratio a, Ratio b) {
  return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
}

RatioResult negate(Ratio a) { return reduced(-a.numerator, a.denominator); }

RatioResult divide(Ratio a, Ratio b) {
  if (const auto problem = divisor_problem(a, b)) return Failure{*problem};
  return reduced(a.numerator * b.denominator, a.denominator * b.numerator);
}

RatioResult divide_down(Ratio a, Ratio b) { return rounded_quotient(a, b, floor_div, ceil_div); }
RatioResult divide_up(Ratio a, Ratio b) { return rounded_quotient(a, b, ceil_div, floor_div); }

RatioResult remainder(Ratio a, Ratio b) {
  const RatioResult quotient = divide_down(a, b);
  if (!quotient) return quotient;
  const RatioResult multiple = multiply(b, *quotient);
  if (!multiple) return multiple;
  return subtract(a, *multiple);
}

RatioResult divide_without_rest(Ratio a, Ratio b) {
  const RatioResult quotient = divide(a, b);
  if (!quotient || quotient->is_whole()) return quotient;
  if (quotient->numerator.number() && quotient->denominator.number()) {
    return Failure{std::string_view("the division leaves a remainder")};
  }
  return divide_down(a, b);
}

RatioResult truncate(Ratio a) {
  const Ratio one = whole(pool_of(a), pool_of(a).constant(1));
  if (a.is_whole()) return a;
  if (a.numerator.bounds().lo >= 0) return divide_down(a, one);
  if (a.numerator.bounds().hi <= 0) return divide_up(a, one);
  return Failure{std::string_view("truncation of a value whose sign is not known")};
}

RatioResult power(Ratio a, Ratio exponent) {
  const auto count = exponent.is_whole() ? exponent.numerator.number() : std::nullopt;
  if (!count || *count > kMaxExponent || *count < -kMaxExponent) {
    return Failure{std::string_view("the exponent is not a small number")};
  }
  const Ratio one = whole(pool_of(a), pool_of(a).constant(1));
  RatioResult product = one;
  for (int64_t i = 0; i < *count || i < -*count; ++i) {
    product = multiply(*product, a);
    if (!product) return product;
  }
  return *count < 0 ? divide(one, *product) : product;
}

RatioResult largest(std::span<const Ratio> ratios) { return extremum(ratios, max); }
RatioResult smallest(std::span<const Ratio> ratios) { return extremum(ratios, min); }
RatioResult larger(Ratio a, Ratio b) { return largest(std::array{a, b}); }
RatioResult smaller(Ratio a, Ratio b) { return smallest(std::array{a, b}); }

RatioResult broadcast(std::span<const Ratio> ratios) {
  std::vector<Dim> dims;
  for (const Ratio& ratio : ratios) {
    if (!ratio.is_whole()) {
      return Failure{std::string_view("broadcast of a value that is not a whole number")};
    }
    dims.push_back(ratio.numerator);
  }
  const Dim common = broadcast(dims);
  if (!common.known()) return Failure{std::string_view("the dims do not broadcast")};
  return whole(pool_of(ratios[0]), common);
}

}  // namespace onnx_shapes
