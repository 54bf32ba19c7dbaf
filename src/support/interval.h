// Inclusive integer intervals with infinite ends; arithmetic saturates, it never wraps.
#pragma once

#include <algorithm>
#include <cstdint>

namespace onnx_shapes {

struct Interval {
  static constexpr int64_t kInf = INT64_MAX;
  static constexpr int64_t kNegInf = INT64_MIN;

  int64_t lo = kNegInf;
  int64_t hi = kInf;

  static constexpr Interval all() { return {}; }
  static constexpr Interval point(int64_t v) { return {v, v}; }
  static constexpr Interval at_least(int64_t v) { return {v, kInf}; }
  static constexpr Interval at_most(int64_t v) { return {kNegInf, v}; }

  [[nodiscard]] constexpr bool is_point() const { return lo == hi && lo != kNegInf && lo != kInf; }
  [[nodiscard]] constexpr bool is_empty() const { return lo > hi; }
  [[nodiscard]] constexpr bool contains(int64_t v) const { return lo <= v && v <= hi; }

  bool operator==(const Interval&) const = default;
};

[[nodiscard]] constexpr Interval intersect(Interval a, Interval b) {
  return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
}

/// The smallest interval that holds both.
[[nodiscard]] constexpr Interval hull(Interval a, Interval b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// The same set with a lower end below kInf and an upper end above kNegInf. An end of that kind
/// could mean the number or the infinity, and negation would turn the one into the other. Every
/// operation below settles its operands and its result.
[[nodiscard]] constexpr Interval settled(Interval a) {
  return {std::min(a.lo, Interval::kInf - 1), std::max(a.hi, Interval::kNegInf + 1)};
}

[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator-(Interval a);
[[nodiscard]] Interval operator-(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, int64_t factor);
/// Floor division by a divisor that is at least 1 (the part of `b` below 1 is ignored).
[[nodiscard]] Interval floor_div(Interval a, Interval b);
/// Pointwise power; `exponent` >= 1. Even powers are never negative.
[[nodiscard]] Interval power(Interval a, uint32_t exponent);

}  // namespace onnx_shapes
