// Random dims, and facts about them that a random binding satisfies.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "facts/constraints.h"
#include "facts/prover.h"

namespace onnx_shapes::testing {

/// The numbers of all symbols, by SymbolId.
using Numbers = std::vector<int64_t>;

std::optional<int64_t> value(Dim dim, const Numbers& numbers);

struct Fact {
  Dim a, b;
  bool equality = false;
  [[nodiscard]] bool holds(const Numbers& numbers) const;
  [[nodiscard]] std::string text() const;
};

/// A few symbols of each kind, and what is made of them.
class RandomFacts {
 public:
  RandomFacts(SymbolTable& symbols, uint64_t seed);

  [[nodiscard]] Dim dim(int depth);
  /// A fact that holds under the binding; nothing if the dims that came up are undefined there.
  [[nodiscard]] std::optional<Fact> fact(const Numbers& binding);
  [[nodiscard]] Numbers binding();
  /// Every binding with small numbers.
  [[nodiscard]] const std::vector<Numbers>& grid() const { return grid_; }
  [[nodiscard]] int64_t pick(int64_t lo, int64_t hi);

 private:
  void extend_grid(Numbers& numbers, size_t i);

  SymbolTable& symbols_;
  std::mt19937_64 random_;
  std::vector<Dim> all_;
  std::vector<int64_t> lows_;
  std::vector<Numbers> grid_;
};

}  // namespace onnx_shapes::testing
