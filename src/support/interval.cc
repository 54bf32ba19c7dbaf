// Interval arithmetic: every end is computed in 128 bits and saturated.
#include "support/interval.h"

#include "support/int_math.h"

namespace onnx_shapes {
namespace {

bool infinite(int64_t v) { return v == Interval::kInf || v == Interval::kNegInf; }

int64_t saturate(Wide v) {
  if (v >= Interval::kInf) return Interval::kInf;
  if (v <= Interval::kNegInf) return Interval::kNegInf;
  return static_cast<int64_t>(v);
}

int64_t infinity(bool positive) { return positive ? Interval::kInf : Interval::kNegInf; }

int64_t times(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return infinity((a > 0) == (b > 0));
  return saturate(static_cast<Wide>(a) * b);
}

/// An end times a number, which is finite whatever its size.
int64_t scaled(int64_t end, int64_t factor) {
  if (end == 0 || factor == 0) return 0;
  if (infinite(end)) return infinity((end > 0) == (factor > 0));
  return saturate(static_cast<Wide>(end) * factor);
}

/// Floor quotient of interval ends; the divisor is at least 1 and may be infinite.
int64_t quotient(int64_t a, int64_t b) {
  if (b == Interval::kInf) return a < 0 ? -1 : 0;
  return infinite(a) ? a : floor_div(a, b);
}

/// By squaring; the end is not negative when the exponent is even.
int64_t end_power(int64_t end, uint32_t exponent) {
  int64_t result = 1;
  for (int64_t base = end; exponent != 0; exponent /= 2, base = times(base, base)) {
    if (exponent % 2 == 1) result = times(result, base);
  }
  return result;
}

Interval hull_of(const int64_t (&ends)[4]) {
  return settled({*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)});
}

}  // namespace

Interval operator+(Interval a, Interval b) {
  a = settled(a);
  b = settled(b);
  const bool low_open = a.lo == Interval::kNegInf || b.lo == Interval::kNegInf;
  const bool high_open = a.hi == Interval::kInf || b.hi == Interval::kInf;
  return settled({low_open ? Interval::kNegInf : saturate(static_cast<Wide>(a.lo) + b.lo),
                  high_open ? Interval::kInf : saturate(static_cast<Wide>(a.hi) + b.hi)});
}

Interval operator-(Interval a) { return a * int64_t{-1}; }

Interval operator-(Interval a, Interval b) { return a + (-b); }

Interval operator*(Interval a, Interval b) {
  a = settled(a);
  b = settled(b);
  return hull_of({times(a.lo, b.lo), times(a.lo, b.hi), times(a.hi, b.lo), times(a.hi, b.hi)});
}

Interval operator*(Interval a, int64_t factor) {
  a = settled(a);
  const int64_t x = scaled(a.lo, factor);
  const int64_t y = scaled(a.hi, factor);
  return settled(factor < 0 ? Interval{y, x} : Interval{x, y});
}

Interval floor_div(Interval a, Interval b) {
  a = settled(a);
  b = settled(b);
  const int64_t low = std::max<int64_t>(b.lo, 1);
  const int64_t high = std::max<int64_t>(b.hi, low);
  return hull_of(
      {quotient(a.lo, low), quotient(a.lo, high), quotient(a.hi, low), quotient(a.hi, high)});
}

Interval power(Interval a, uint32_t exponent) {
  a = settled(a);
  if (exponent % 2 == 0) {
    if (a.hi <= 0) {
      a = -a;
    } else if (a.lo < 0) {
      a = {0, std::max(a.hi, times(a.lo, -1))};
    }
  }
  return settled({end_power(a.lo, exponent), end_power(a.hi, exponent)});
}

}  // namespace onnx_shapes
