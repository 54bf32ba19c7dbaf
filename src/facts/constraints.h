// Equalities and upper bounds between dims, each with its origin.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "expr/expr.h"
#include "facts/symbols.h"

namespace onnx_shapes {

class Knowledge;
struct Cause;

/// When a constraint holds.
enum class Holds : uint8_t {
  kEveryRun,     // in every run that completes: an operator needs it
  kUnderAnchor,  // only in runs in which an annotation holds
};

struct Equality {
  Dim a, b;
  Origin origin;
  Holds holds = Holds::kEveryRun;
};

/// lhs <= rhs.
struct UpperBound {
  Dim lhs, rhs;
  Origin origin;
  Holds holds = Holds::kEveryRun;
};

/// lhs and rhs cannot be equal, though `second` says so. `first` is the origin of what it
/// contradicts (none if the equality is false by itself). Where it takes several constraints, that
/// is one of them: the latest, if they are all equalities that were solved for a symbol.
struct Contradiction {
  Dim lhs, rhs;  // as they were after substitution: `3 == 4`, `N + 1 == N`
  Origin first, second;
};

/// What the equalities say of one symbol: it equals `value`, which does not mention it.
struct Solution {
  SymbolId symbol = 0;
  Dim value;
  // The equalities it follows from, as indices into equalities() in order; none if it follows from
  // upper bounds alone (`u <= 0`), and of more than a few dozen not all.
  std::vector<uint32_t> from;
};

/// The constraint store. Adding never fails halfway: a contradicting equality is returned and not
/// recorded.
class ConstraintSet {
 public:
  explicit ConstraintSet(SymbolTable& symbols);
  ~ConstraintSet();
  ConstraintSet(const ConstraintSet&) = delete;
  ConstraintSet& operator=(const ConstraintSet&) = delete;

  /// Records a == b. Trivial, unknown and duplicate ones are dropped; a duplicate that holds in
  /// every run makes one that held under an anchor hold in every run, with its origin.
  std::optional<Contradiction> add_equal(Dim a, Dim b, Origin origin,
                                         Holds holds = Holds::kEveryRun);
  /// Records lhs <= rhs. Trivial, unknown and duplicate ones are dropped, as above. One that
  /// contradicts what is known is recorded, but nothing is concluded from it.
  void add_at_most(Dim lhs, Dim rhs, Origin origin, Holds holds = Holds::kEveryRun);

  [[nodiscard]] bool has_equal(Dim a, Dim b) const;  // recorded, in either direction
  [[nodiscard]] bool has_at_most(Dim lhs, Dim rhs) const;
  [[nodiscard]] std::span<const Equality> equalities() const { return equalities_; }
  [[nodiscard]] std::span<const UpperBound> upper_bounds() const { return upper_bounds_; }
  void clear();  // both kinds

  /// A state to come back to: what a body requires holds only if the body runs, so what was
  /// recorded since the mark is forgotten when the body ends. Marks nest; roll_back(m) undoes
  /// everything that was recorded after mark() returned m, in time proportional to that.
  [[nodiscard]] uint64_t mark() const;
  void roll_back(uint64_t mark);

  /// Grows with every recorded constraint: a memo made at one generation is stale at the next.
  [[nodiscard]] uint64_t generation() const { return generation_; }

  /// Whether resolve() replaces anything.
  [[nodiscard]] bool any_solved() const;
  /// Changes with what resolve() gives.
  [[nodiscard]] uint64_t solution_generation() const;

  /// The dim with every solved symbol replaced, to a fixed point. Internal symbols are eliminated
  /// before declared ones, declared before input ones, and later ones before earlier ones.
  [[nodiscard]] Dim resolve(Dim dim) const;
  /// In order of symbol.
  [[nodiscard]] std::vector<Solution> solutions() const;

  /// What is known, for the prover; its answers do not change by being asked.
  [[nodiscard]] Knowledge* knowledge() const;

 private:
  struct Solver;
  [[nodiscard]] Origin origin_of(Cause cause) const;

  SymbolTable& symbols_;
  std::vector<Equality> equalities_;
  std::vector<UpperBound> upper_bounds_;
  uint64_t generation_ = 0;
  std::unique_ptr<Solver> solver_;
};

}  // namespace onnx_shapes
