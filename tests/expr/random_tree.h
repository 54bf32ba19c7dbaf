// Random trees that reach every operation, and the shapes of expression that models have.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "expr/expr.h"
#include "tests/expr/tree.h"

namespace onnx_shapes {

/// Small numbers, so that remainders and ties occur, or also some at the ends of 64 bits.
enum class Numbers : uint8_t { kSmall, kLarge };

/// The same numbers on every platform, which the distributions of the standard library do not
/// promise.
class Random {
 public:
  explicit Random(uint64_t seed, Numbers numbers = Numbers::kSmall)
      : engine_(seed), numbers_(numbers) {}

  /// In [0, size).
  [[nodiscard]] size_t below(size_t size) { return static_cast<size_t>(engine_() % size); }
  /// In [low, high].
  [[nodiscard]] int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<size_t>(high - low + 1)));
  }
  [[nodiscard]] bool one_in(size_t n) { return below(n) == 0; }
  /// Whether this number is to be a large one.
  [[nodiscard]] bool wants_large() { return numbers_ == Numbers::kLarge && one_in(3); }
  /// A power of two or its neighbour, or an end of 64 bits.
  [[nodiscard]] int64_t large();

 private:
  std::mt19937_64 engine_;
  Numbers numbers_;
};

/// The ranges of the symbols a, b, c, ... of every test: two dims, a dim that is not 0, a value,
/// and two short ranges.
inline constexpr std::array<Interval, 6> kSymbolRanges = {
    Interval::at_least(0), Interval::at_least(0), Interval::at_least(1),
    Interval::all(),       Interval{2, 5},        Interval{0, 1},
};

[[nodiscard]] std::vector<Dim> add_symbols(Pool& pool);

/// A tree of at most this depth, but for the patterns at its leaves.
[[nodiscard]] Tree random_tree(Random& random, int depth);

/// Within the ranges.
[[nodiscard]] Values random_values(Random& random);

}  // namespace onnx_shapes
