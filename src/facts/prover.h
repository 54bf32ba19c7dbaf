// Answers questions about dims: true, false or unknown, never a guess.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "facts/constraints.h"

namespace onnx_shapes {

enum class Truth : uint8_t { kFalse, kUnknown, kTrue };

/// "False" means false in every run that completes; "can be false" is find_counterexample.
/// Every question has a step budget; running out gives kUnknown.
class Prover {
 public:
  /// With no constraints the prover knows only the ranges of the symbols.
  explicit Prover(Pool& pool, const ConstraintSet* constraints = nullptr);
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  [[nodiscard]] Truth equal(Dim a, Dim b);
  [[nodiscard]] Truth at_most(Dim a, Dim b);  // a <= b
  [[nodiscard]] Truth less(Dim a, Dim b);     // a < b
  [[nodiscard]] Truth divisible(Dim dim, int64_t by);
  /// What is known of the number: never narrower than the truth.
  [[nodiscard]] Interval bounds(Dim dim);

  // The common questions of rules.
  [[nodiscard]] bool provably_equal(Dim a, Dim b) { return equal(a, b) == Truth::kTrue; }
  [[nodiscard]] bool provably_at_least(Dim dim, int64_t n);
  [[nodiscard]] bool provably_not(Dim dim, int64_t n);  // never the number n

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

/// A claim that a counterexample breaks.
struct Claim {
  enum class Kind : uint8_t { kEqual, kAtMost } kind = Kind::kEqual;
  Dim a, b;
};

/// The smallest binding found (by the sum of the numbers' magnitudes, then by the numbers in order
/// of symbol) of the claim's symbols and all those that constraints relate them to, which satisfies
/// these constraints and the symbols' ranges and breaks the claim, verified by evaluation; nothing
/// if none was found within the budget. In order of symbol. The symbols of `positive` are at least
/// 1. `also` are equalities that it satisfies though they are not among the constraints.
using Binding = std::vector<std::pair<SymbolId, int64_t>>;
[[nodiscard]] std::optional<Binding> find_counterexample(
    const SymbolTable& symbols, const ConstraintSet& constraints, const Claim& claim,
    const std::unordered_set<SymbolId>& positive = {}, std::span<const Equality> also = {});

}  // namespace onnx_shapes
