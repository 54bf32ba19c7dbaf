// Intervals: against all pairs of members of small intervals, and at the ends of 64 bits.
#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "support/interval.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

constexpr int64_t kInf = Interval::kInf;
constexpr int64_t kNegInf = Interval::kNegInf;

/// Every interval with ends in [-4, 4].
std::vector<Interval> small_intervals() {
  std::vector<Interval> result;
  for (int64_t lo = -4; lo <= 4; ++lo) {
    for (int64_t hi = lo; hi <= 4; ++hi) result.push_back({lo, hi});
  }
  return result;
}

using Operation = std::function<std::optional<int64_t>(int64_t, int64_t)>;

/// The smallest interval that holds the results for all members.
std::optional<Interval> exact(Interval a, Interval b, const Operation& operation) {
  std::optional<Interval> result;
  for (int64_t x = a.lo; x <= a.hi; ++x) {
    for (int64_t y = b.lo; y <= b.hi; ++y) {
      const std::optional<int64_t> value = operation(x, y);
      if (!value) continue;
      result = result ? hull(*result, Interval::point(*value)) : Interval::point(*value);
    }
  }
  return result;
}

std::optional<int64_t> floor_quotient(int64_t a, int64_t b) {
  if (b < 1) return std::nullopt;
  int64_t q = -5;
  while ((q + 1) * b <= a) ++q;
  return q;
}

int64_t power_of(int64_t base, uint32_t exponent) {
  int64_t result = 1;
  for (uint32_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace

TEST_CASE("Interval: operations on small intervals are exact") {
  for (const Interval a : small_intervals()) {
    for (const Interval b : small_intervals()) {
      INFO("[" << a.lo << ", " << a.hi << "] and [" << b.lo << ", " << b.hi << "]");
      CHECK(a + b == exact(a, b, [](int64_t x, int64_t y) { return x + y; }));
      CHECK(a - b == exact(a, b, [](int64_t x, int64_t y) { return x - y; }));
      CHECK(a * b == exact(a, b, [](int64_t x, int64_t y) { return x * y; }));
      if (b.hi >= 1) CHECK(floor_div(a, b) == exact(a, b, floor_quotient));
      CHECK(hull(a, b).contains(a.lo));
      CHECK(hull(a, b).contains(b.hi));
    }
  }
}

TEST_CASE("Interval: powers of small intervals are exact") {
  for (const Interval a : small_intervals()) {
    for (uint32_t exponent = 1; exponent <= 4; ++exponent) {
      INFO("[" << a.lo << ", " << a.hi << "] to the power of " << exponent);
      const auto raised = [&](int64_t x, int64_t) { return power_of(x, exponent); };
      CHECK(power(a, exponent) == exact(a, {0, 0}, raised));
    }
  }
}

TEST_CASE("Interval: infinite ends stay infinite") {
  CHECK(Interval::at_least(3) + Interval::at_least(4) == Interval::at_least(7));
  CHECK(Interval::at_least(3) + Interval::at_most(4) == Interval::all());
  CHECK(-Interval::at_least(3) == Interval::at_most(-3));
  CHECK(-Interval::all() == Interval::all());
  CHECK(Interval::at_least(0) * Interval::at_least(0) == Interval::at_least(0));
  CHECK(Interval::at_least(2) * Interval::at_least(3) == Interval::at_least(6));
  CHECK(Interval::at_least(0) * Interval::at_most(0) == Interval::at_most(0));
  CHECK(Interval::all() * Interval::point(0) == Interval::point(0));
  CHECK(Interval::at_least(1) * int64_t{-2} == Interval::at_most(-2));
  CHECK(Interval::all() * int64_t{0} == Interval::point(0));
  CHECK(floor_div(Interval::at_least(7), Interval::point(2)) == Interval::at_least(3));
  CHECK(floor_div(Interval{7, 9}, Interval::at_least(2)) == Interval{0, 4});
  CHECK(floor_div(Interval{-7, 9}, Interval::at_least(1)) == Interval{-7, 9});
  CHECK(power(Interval::all(), 2) == Interval::at_least(0));
  CHECK(power(Interval::all(), 3) == Interval::all());
  CHECK(power(Interval::at_least(2), 3) == Interval::at_least(8));
}

TEST_CASE("Interval: what does not fit 64 bits becomes open, and no end flips its sign") {
  const Interval top = Interval::point(kInf - 1);
  CHECK((top + Interval::point(5)).hi == kInf);
  CHECK((top + Interval::point(5)).lo >= kInf - 1);
  CHECK((top * Interval::point(2)).hi == kInf);
  CHECK((-Interval::point(kNegInf)).hi == kInf);
  CHECK((Interval::point(kNegInf + 1) - top).lo == kNegInf);
  CHECK((Interval::point(int64_t{1} << 40) * Interval::point(-(int64_t{1} << 40))).lo == kNegInf);
  CHECK((Interval::point(kNegInf) * int64_t{-1}).hi == kInf);
  CHECK(power(Interval::point(10), 40).hi == kInf);
  CHECK(power(Interval::point(-10), 41).lo == kNegInf);
  CHECK(floor_div(Interval::point(kNegInf), Interval::point(1)).lo == kNegInf);
}

TEST_CASE("Interval: sets") {
  CHECK(intersect({0, 5}, {3, 9}) == Interval{3, 5});
  CHECK(intersect({0, 2}, {3, 9}).is_empty());
  CHECK(hull({0, 2}, {5, 9}) == Interval{0, 9});
  CHECK(Interval::point(4).is_point());
  CHECK_FALSE(Interval{4, 5}.is_point());
  CHECK_FALSE(Interval::point(kInf).is_point());
  CHECK(Interval::all().contains(kNegInf));
  CHECK_FALSE(Interval::at_least(1).contains(0));
}

}  // namespace onnx_shapes
