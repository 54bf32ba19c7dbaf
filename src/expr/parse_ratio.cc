// Arithmetic on exact quotients of expressions.
#include "expr/parse_ratio.h"

#include <utility>

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

/// Why a dim cannot be a divisor; nothing if it can.
std::optional<std::string_view> divisor_problem(Dim divisor) {
  if (divisor.is(0)) return kByZero;
  if (divisor.bounds().hi < 1) return kNotPositive;
  return std::nullopt;
}

/// Both brought to the denominator that is returned.
std::pair<Dim, std::pair<Dim, Dim>> same_denominator(Ratio a, Ratio b) {
  if (a.denominator == b.denominator) return {a.denominator, {a.numerator, b.numerator}};
  return {a.denominator * b.denominator,
          {a.numerator * b.denominator, b.numerator * a.denominator}};
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

RatioResult subtract(Ratio a, Ratio b) {
  const auto [denominator, numerators] = same_denominator(a, b);
  return reduced(numerators.first - numerators.second, denominator);
}

RatioResult multiply(Ratio a, Ratio b) {
  return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
}

RatioResult negate(Ratio a) { return reduced(-a.numerator, a.denominator); }

RatioResult divide(Ratio a, Ratio b) {
  if (const auto problem = divisor_problem(b.numerator)) return Failure{*problem};
  return reduced(a.numerator * b.denominator, a.denominator * b.numerator);
}

RatioResult divide_down(Ratio a, Ratio b) {
  if (const auto problem = divisor_problem(b.numerator)) return Failure{*problem};
  const Dim quotient = floor_div(a.numerator * b.denominator, a.denominator * b.numerator);
  return reduced(quotient, pool_of(a).constant(1));
}

RatioResult divide_up(Ratio a, Ratio b) {
  if (const auto problem = divisor_problem(b.numerator)) return Failure{*problem};
  const Dim quotient = ceil_div(a.numerator * b.denominator, a.denominator * b.numerator);
  return reduced(quotient, pool_of(a).constant(1));
}

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

RatioResult larger(Ratio a, Ratio b) {
  const auto [denominator, numerators] = same_denominator(a, b);
  return reduced(max(numerators.first, numerators.second), denominator);
}

RatioResult smaller(Ratio a, Ratio b) {
  const auto [denominator, numerators] = same_denominator(a, b);
  return reduced(min(numerators.first, numerators.second), denominator);
}

RatioResult broadcast(Ratio a, Ratio b) {
  if (!a.is_whole() || !b.is_whole()) {
    return Failure{std::string_view("broadcast of a value that is not a whole number")};
  }
  return reduced(broadcast(a.numerator, b.numerator), a.denominator);
}

}  // namespace onnx_shapes
