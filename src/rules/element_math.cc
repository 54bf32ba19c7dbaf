#include "rules/element_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "rules/truncation.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

/// The sums below answer for numbers themselves, so that an overflow of 64 bits is an unknown
/// element and not an unknown dim.
Dim plus(InferContext& ctx, Dim a, int64_t ka, Dim b, int64_t kb) {
  if (a.number() && b.number()) {
    const auto left = checked_mul(*a.number(), ka);
    const auto right = checked_mul(*b.number(), kb);
    const auto sum = left && right ? checked_add(*left, *right) : std::nullopt;
    return sum ? ctx.lit(*sum) : Dim();
  }
  return combine(a, ka, b, kb);
}

Dim times(InferContext& ctx, Dim a, Dim b) {
  if (a.number() && b.number()) {
    const auto product = checked_mul(*a.number(), *b.number());
    return product ? ctx.lit(*product) : Dim();
  }
  return a * b;
}

/// The greatest number that divides `denominator` and each coefficient of the dim.
int64_t common_factor(Dim numerator, int64_t denominator) {
  uint64_t factor = static_cast<uint64_t>(denominator);
  for (const Term& term : numerator.expr()->terms) {
    if (factor == 1) break;
    factor = gcd_magnitude(static_cast<int64_t>(factor), term.coefficient);
  }
  return static_cast<int64_t>(factor);
}

bool is_power_of_two(int64_t number) { return std::has_single_bit(static_cast<uint64_t>(number)); }

/// Bits of the mantissa, the leading one included; 0 for types that are not float.
int mantissa_bits(ElemType type) {
  if (type == ElemType::kDouble) return 53;
  if (type == ElemType::kFloat) return 24;
  if (type == ElemType::kFloat16) return 11;
  return type == ElemType::kBfloat16 ? 8 : 0;
}

/// No product of symbols, which may be far larger than any size.
bool grows_like_a_size(const Expr& expr) {
  constexpr uint32_t kMaxDepth = 3;
  if (expr.depth > kMaxDepth) return false;
  return std::all_of(expr.terms.begin(), expr.terms.end(), [](const Term& term) {
    const Monomial& monomial = *term.monomial;
    return monomial.degree <= 1 &&
           std::all_of(monomial.factors.begin(), monomial.factors.end(), [](const Factor& factor) {
             const auto& operands = factor.atom->operands;
             return std::all_of(operands.begin(), operands.end(),
                                [](const Expr* part) { return grows_like_a_size(*part); });
           });
  });
}

/// The numbers that an integer or bool type holds; nothing for other types.
std::optional<Interval> integer_range(ElemType type) {
  constexpr std::array kUnsigned = {ElemType::kUint32, ElemType::kUint16, ElemType::kUint8,
                                    ElemType::kUint4, ElemType::kUint2};
  if (type == ElemType::kBool) return Interval{0, 1};
  if (type == ElemType::kInt64) return Interval::all();
  if (type == ElemType::kUint64) return Interval::at_least(0);
  if (!is_integer(type)) return std::nullopt;
  const int64_t size = int64_t{1} << element_bits(type);
  const bool is_unsigned = std::find(kUnsigned.begin(), kUnsigned.end(), type) != kUnsigned.end();
  return is_unsigned ? Interval{0, size - 1} : Interval{-size / 2, size / 2 - 1};
}

Truth opposite(Truth truth) {
  if (truth == Truth::kUnknown) return truth;
  return truth == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

std::optional<int64_t> integer_root(int64_t number) {
  if (number < 0) return std::nullopt;
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(number)));
  for (const int64_t candidate : {root - 1, root, root + 1}) {
    if (candidate >= 0 && checked_mul(candidate, candidate) == number) return candidate;
  }
  return std::nullopt;
}

}  // namespace

bool is_float(ElemType type) { return mantissa_bits(type) > 0; }

bool ElementMath::exact(const Scalar& a) const {
  return a.known() && (!is_float(elem_) || is_power_of_two(a.denominator));
}

/// Whether the number is computed from sizes, or from data that the range holds: it or each of its
/// products has no upper end, or ends in the range. Data of which nothing is known is no size.
bool ElementMath::made_of_sizes(Dim number, Interval bounds, Interval range) const {
  if (bounds.lo >= range.lo && bounds.hi <= range.hi) return true;
  if (bounds.hi != Interval::kInf && bounds.lo != Interval::kNegInf) return false;
  if (bounds.lo >= 0) return true;
  const auto& terms = number.expr()->terms;
  return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    const Interval& part = term.monomial->bounds;
    return part.lo >= range.lo && (part.hi == Interval::kInf || part.hi <= range.hi);
  });
}

bool ElementMath::in_integer_range(Dim number) const {
  if (elem_ == ElemType::kInt64) return true;
  const std::optional<Interval> range = integer_range(elem_);
  if (!range) return false;
  const auto constant = number.number();
  if (constant) return range->contains(*constant);
  const Interval bounds = ctx_.prover().bounds(number);
  const bool holds_sizes = elem_ == ElemType::kInt32 || elem_ == ElemType::kUint32;
  if (!holds_sizes) return bounds.lo >= range->lo && bounds.hi <= range->hi;
  return made_of_sizes(number, bounds, *range) && (range->lo < 0 || bounds.lo >= 0);
}

/// Small multiples of sizes: 2^12 of them in a float leaves 2^12 to the sizes, 2^40 in a double
/// 2^13; the types of 16 bits have no room for sizes.
bool ElementMath::in_mantissa(Dim numerator) const {
  const int bits = mantissa_bits(elem_);
  if (const auto number = numerator.number()) {
    const uint64_t magnitude = gcd_magnitude(*number, 0);
    const int used = magnitude == 0 ? 0 : 64 - std::countl_zero(magnitude);
    return used - (magnitude == 0 ? 0 : std::countr_zero(magnitude)) <= bits && used <= 62 &&
           (elem_ != ElemType::kFloat16 || used <= 15);
  }
  if (bits < 24 || (bits == 24 && !grows_like_a_size(*numerator.expr()))) return false;
  const Interval held{-(int64_t{1} << bits), int64_t{1} << bits};
  if (!made_of_sizes(numerator, ctx_.prover().bounds(numerator), held)) return false;
  const uint64_t limit = uint64_t{1} << (elem_ == ElemType::kDouble ? 40 : 12);
  uint64_t sum = 0;
  for (const Term& term : numerator.expr()->terms) {
    const uint64_t magnitude = gcd_magnitude(term.coefficient, 0);
    if (magnitude > limit) return false;
    sum += magnitude;
  }
  return sum <= limit;
}

Scalar ElementMath::fit_quotient(Dim numerator, int64_t denominator) const {
  if (!numerator.known()) return {};
  const int64_t factor = common_factor(numerator, denominator);
  if (factor > 1) {
    numerator = exact_quotient(numerator, ctx_.lit(factor));
    denominator /= factor;
    if (!numerator.known()) return {};
  }
  if (is_float(elem_)) {
    const bool small = denominator <= (int64_t{1} << std::min(mantissa_bits(elem_), 30));
    if (!small || !in_mantissa(numerator)) return {};
    // The rounding of a quotient reaches no integer only while the mantissa has room for all
    // digits.
    const auto number = numerator.number();
    const bool rounded = !is_power_of_two(denominator);
    if (rounded && number && gcd_magnitude(*number, 0) >> mantissa_bits(elem_) != 0) return {};
    return {numerator, denominator};
  }
  return denominator == 1 && in_integer_range(numerator) ? Scalar{numerator, 1} : Scalar{};
}

Scalar ElementMath::fit(Dim numerator, int64_t denominator) const {
  const Scalar result = fit_quotient(numerator, denominator);
  return exact(result) ? result : Scalar{};
}

Scalar ElementMath::add(const Scalar& a, const Scalar& b) const {
  if (!exact(a) || !exact(b)) return {};
  const auto denominator = checked_mul(a.denominator, b.denominator);
  if (!denominator) return {};
  return fit(plus(ctx_, a.numerator, b.denominator, b.numerator, a.denominator), *denominator);
}

Scalar ElementMath::subtract(const Scalar& a, const Scalar& b) const {
  if (!exact(a) || !exact(b)) return {};
  const auto denominator = checked_mul(a.denominator, b.denominator);
  if (!denominator) return {};
  return fit(plus(ctx_, a.numerator, b.denominator, b.numerator, -a.denominator), *denominator);
}

Scalar ElementMath::multiply(const Scalar& a, const Scalar& b) const {
  // Nothing is left of an unknown integer; an unknown float may be infinite.
  if (!is_float(elem_) && (a.numerator.known() ? a : b).numerator.is(0)) return number(0);
  if (!exact(a) || !exact(b)) return {};
  const auto denominator = checked_mul(a.denominator, b.denominator);
  return denominator ? fit(times(ctx_, a.numerator, b.numerator), *denominator) : Scalar{};
}

/// trunc(a / b) for b >= 1: the floor of what is not negative, less that of what is. Where the sign
/// is not known the operand stands in the result twice; nobody wants to read chains of such
/// quotients by a symbol.
Dim ElementMath::truncated_by_sign(Dim a, Dim b) const {
  const Interval bounds = ctx_.prover().bounds(a);
  if (bounds.lo >= 0) return floor_div(a, b);
  if (bounds.hi <= 0) return -floor_div(-a, b);
  const auto divisor = b.number();
  if (divisor && bounds.lo > -*divisor) return floor_div(max(a, 0), b);
  if (divisor) return onnx_shapes::truncated_quotient(ctx_, a, *divisor);
  constexpr uint32_t kMaxDepth = 1;
  if (a.expr()->depth > kMaxDepth) return {};
  return max(floor_div(a, b), 0) - max(floor_div(-a, b), 0);
}

Dim ElementMath::truncate(Dim numerator, int64_t denominator) const {
  return denominator == 1 ? numerator : truncated_by_sign(numerator, ctx_.lit(denominator));
}

Dim ElementMath::truncated_quotient(Dim a, Dim b) const {
  if (a.number() && b.number()) {
    if (*b.number() == 0 || (*a.number() == INT64_MIN && *b.number() == -1)) return {};
    return ctx_.lit(*a.number() / *b.number());
  }
  if (b.is(1)) return a;
  const Interval of_b = ctx_.prover().bounds(b);
  // A division by zero ends the run, so a divisor that is not below 0 is at least 1.
  if (of_b.lo < 0) return {};
  if (const Dim quotient = exact_quotient(a, b); quotient.known()) return quotient;
  return truncated_by_sign(a, b);
}

Scalar ElementMath::divide(const Scalar& a, const Scalar& b) const {
  if (!exact(a) || !exact(b)) return {};
  if (!is_float(elem_)) {
    return fit(truncated_quotient(a.numerator, b.numerator), 1);
  }
  const auto divisor = b.numerator.number();
  if (!divisor) {
    // x / x is no number for zero, so the quotient is sure only for what is at least 1.
    if (!ctx_.prover().provably_at_least(b.numerator, 1)) return {};
    return fit(exact_quotient(times(ctx_, a.numerator, ctx_.lit(b.denominator)), b.numerator),
               a.denominator);
  }
  if (*divisor == 0 || *divisor == INT64_MIN) return {};
  const auto denominator = checked_mul(a.denominator, *divisor < 0 ? -*divisor : *divisor);
  if (!denominator) return {};
  const Dim scaled =
      times(ctx_, a.numerator, ctx_.lit(*divisor < 0 ? -b.denominator : b.denominator));
  return fit_quotient(scaled, *denominator);
}

Scalar ElementMath::floor_mod(const Scalar& a, const Scalar& b) const {
  if (!a.known() || !b.known() || a.denominator != 1 || b.denominator != 1) return {};
  if (is_float(elem_)) return {};
  const auto divisor = b.numerator.number();
  if (divisor && *divisor < 0) {
    const auto dividend = a.numerator.number();
    if (!dividend || *divisor == -1) return *divisor == -1 ? number(0) : Scalar{};
    const int64_t rest = *dividend % *divisor;
    return fit(ctx_.lit(rest > 0 ? rest + *divisor : rest), 1);
  }
  // A divisor of zero ends the run.
  if (divisor == 0 || !ctx_.prover().provably_at_least(b.numerator, 0)) return {};
  return fit(mod(a.numerator, b.numerator), 1);
}

Scalar ElementMath::truncated_mod(const Scalar& a, const Scalar& b) const {
  if (!exact(a) || !exact(b) || a.denominator != 1 || b.denominator != 1) return {};
  const auto dividend = a.numerator.number();
  const auto divisor = b.numerator.number();
  if (dividend && divisor) {
    if (*divisor == 0) return {};
    return *divisor == -1 ? number(0) : fit(ctx_.lit(*dividend % *divisor), 1);
  }
  // The remainder by zero of floats is no number; that of integers ends the run.
  const int64_t least_divisor = is_float(elem_) ? 1 : 0;
  if (!ctx_.prover().provably_at_least(a.numerator, 0) ||
      !ctx_.prover().provably_at_least(b.numerator, least_divisor)) {
    return {};
  }
  return fit(mod(a.numerator, b.numerator), 1);
}

Scalar ElementMath::power(const Scalar& base, const Scalar& exponent) const {
  constexpr int64_t kMaxExponent = 64;
  const auto count = exponent.numerator.known() && exponent.denominator == 1
                         ? exponent.numerator.number()
                         : std::nullopt;
  if (!count || *count < 0 || *count > kMaxExponent || !exact(base)) return {};
  Scalar result = number(1);
  for (int64_t i = 0; i < *count; ++i) result = multiply(result, base);
  return result;
}

Scalar ElementMath::larger(const Scalar& a, const Scalar& b) const {
  if (!exact(a) || !exact(b)) return {};
  if (at_most(a, b) == Truth::kTrue) return b;
  if (at_most(b, a) == Truth::kTrue) return a;
  if (a.denominator != 1 || b.denominator != 1) return {};
  return fit(max(a.numerator, b.numerator), 1);
}

Scalar ElementMath::smaller(const Scalar& a, const Scalar& b) const {
  if (!exact(a) || !exact(b)) return {};
  if (at_most(a, b) == Truth::kTrue) return a;
  if (at_most(b, a) == Truth::kTrue) return b;
  if (a.denominator != 1 || b.denominator != 1) return {};
  return fit(min(a.numerator, b.numerator), 1);
}

Scalar ElementMath::shift_left(const Scalar& a, const Scalar& bits) const {
  const auto count = bits.integer().known() ? bits.integer().number() : std::nullopt;
  if (!count || *count < 0 || *count >= static_cast<int64_t>(element_bits(elem_)) || *count > 62) {
    return {};
  }
  return multiply(a, number(int64_t{1} << *count));
}

Scalar ElementMath::shift_right(const Scalar& a, const Scalar& bits) const {
  const auto count = bits.integer().known() ? bits.integer().number() : std::nullopt;
  if (!count || !a.integer().known() || *count < 0 ||
      *count >= static_cast<int64_t>(element_bits(elem_)) || *count > 62) {
    return {};
  }
  return fit(floor_div(a.numerator, int64_t{1} << *count), 1);
}

Scalar ElementMath::negate(const Scalar& a) const {
  return a.known() ? fit_quotient(times(ctx_, a.numerator, ctx_.lit(-1)), a.denominator) : Scalar{};
}

Scalar ElementMath::absolute(const Scalar& a) const {
  if (!a.known()) return {};
  const Interval bounds = ctx_.prover().bounds(a.numerator);
  if (bounds.lo >= 0) return a;
  const Scalar negated = negate(a);
  if (bounds.hi <= 0 || !negated.known()) return negated;
  return a.denominator == 1 ? fit(max(a.numerator, negated.numerator), 1) : Scalar{};
}

Scalar ElementMath::sign(const Scalar& a) const {
  if (!a.known()) return {};
  const Interval bounds = ctx_.prover().bounds(a.numerator);
  if (bounds.lo >= 1) return number(1);
  if (bounds.hi <= -1) return number(-1);
  if (a.numerator.is(0)) return number(0);
  if (bounds.lo >= 0) return fit(min(a.numerator, 1), 1);
  return fit(max(min(a.numerator, 1), -1), 1);
}

Scalar ElementMath::floor(const Scalar& a) const {
  return a.known() ? fit(floor_div(a.numerator, a.denominator), 1) : Scalar{};
}

Scalar ElementMath::ceil(const Scalar& a) const {
  return a.known() ? fit(ceil_div(a.numerator, a.denominator), 1) : Scalar{};
}

Scalar ElementMath::round_half_even(const Scalar& a) const {
  if (!exact(a)) return {};
  if (a.denominator == 1) return a;
  const auto numerator = a.numerator.number();
  if (!numerator) return {};
  const int64_t below = onnx_shapes::floor_div(*numerator, a.denominator);
  const int64_t rest = onnx_shapes::floor_mod(*numerator, a.denominator);
  const int64_t half = a.denominator / 2;  // a power of two
  const bool up = rest > half || (rest == half && below % 2 != 0);
  return fit(ctx_.lit(up ? below + 1 : below), 1);
}

Scalar ElementMath::square_root(const Scalar& a) const {
  if (!exact(a)) return {};
  const auto numerator = a.numerator.number();
  if (!numerator) return {};
  const auto above = integer_root(*numerator);
  const auto below = integer_root(a.denominator);
  return above && below ? fit(ctx_.lit(*above), *below) : Scalar{};
}

Scalar ElementMath::reciprocal(const Scalar& a) const { return divide(number(1), a); }

Scalar ElementMath::rectify(const Scalar& a) const { return larger(a, number(0)); }

Scalar ElementMath::cast(const Scalar& a) const {
  if (!a.known()) return {};
  if (elem_ == ElemType::kBool) return boolean(opposite(equal(a, number(0))));
  // The rounded quotient of one float type is not that of another.
  if (is_float(elem_))
    return is_power_of_two(a.denominator) ? fit(a.numerator, a.denominator) : Scalar{};
  return fit(truncate(a.numerator, a.denominator), 1);
}

Scalar ElementMath::boolean(Truth truth) const {
  if (truth == Truth::kUnknown) return {};
  return number(truth == Truth::kTrue ? 1 : 0);
}

Truth ElementMath::equal(const Scalar& a, const Scalar& b) const {
  if (!a.known() || !b.known()) return Truth::kUnknown;
  if (a.denominator == b.denominator) return ctx_.prover().equal(a.numerator, b.numerator);
  if (!is_power_of_two(a.denominator) || !is_power_of_two(b.denominator)) return Truth::kUnknown;
  return ctx_.prover().equal(times(ctx_, a.numerator, ctx_.lit(b.denominator)),
                             times(ctx_, b.numerator, ctx_.lit(a.denominator)));
}

Truth ElementMath::at_most(const Scalar& a, const Scalar& b) const {
  if (!a.known() || !b.known()) return Truth::kUnknown;
  if (!is_power_of_two(a.denominator) || !is_power_of_two(b.denominator)) return Truth::kUnknown;
  if (a.denominator == b.denominator) return ctx_.prover().at_most(a.numerator, b.numerator);
  return ctx_.prover().at_most(times(ctx_, a.numerator, ctx_.lit(b.denominator)),
                               times(ctx_, b.numerator, ctx_.lit(a.denominator)));
}

Truth ElementMath::less(const Scalar& a, const Scalar& b) const { return opposite(at_most(b, a)); }

}  // namespace onnx_shapes
