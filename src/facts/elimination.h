// Lower bounds of linear forms, by eliminating one monomial after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "facts/knowledge.h"
#include "facts/linear.h"

namespace onnx_shapes {

/// A fact about a monomial t turns a bound of `a*t + rest` into one of a form without t; every step
/// rounds to integers. Facts are what the constraints say, what an atom says of itself
/// (`0 <= p - m*(p//m) <= m - 1`), the ranges of symbols, and the assumptions of a case.
class Elimination {
 public:
  /// `knowledge` may be null: then only the ranges of the symbols are known.
  Elimination(Pool& pool, Knowledge* knowledge) : pool_(pool), knowledge_(knowledge) {}

  /// A number that the form is never below, or Interval::kNegInf if none was found. The search ends
  /// when the number is at least `target`, or the budget of steps is spent.
  [[nodiscard]] int64_t lower(const Linear& form, int64_t target, size_t budget = kBudget);
  /// Steps for a question that is answered yes or no, and for one after the best bound.
  static constexpr size_t kBudget = 250;
  /// Steps that find most of what can be found.
  static constexpr size_t kQuickBudget = 30;
  static constexpr size_t kBoundsBudget = 100;

  /// What interval arithmetic says of the product.
  [[nodiscard]] Interval interval(const Monomial& monomial);
  [[nodiscard]] Interval interval(const Atom& atom);

 private:
  /// A form without constant and with coprime coefficients, in one case of the case splits.
  struct Key {
    uint32_t context = 0;
    Linear form;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return LinearHash{}(key.form) ^ (size_t{key.context} << 48U);
    }
  };
  struct Found {
    int64_t best = 0;
    int64_t target = 0;
    int depth = 0;
  };
  struct Assumption {
    Linear form;
    bool equality = false;
  };
  /// One form whose lower bound is looked for.
  struct Search {
    Linear form;
    int64_t target = 0;
    int depth = 0;
    int64_t best = Interval::kNegInf;
    Term pivot;

    void found(int64_t bound) { best = bound > best ? bound : best; }
  };

  /// Whether the target is reached or the budget is spent.
  [[nodiscard]] bool over(const Search& search) const {
    return search.best >= search.target || steps_left_ == 0;
  }
  [[nodiscard]] int64_t lower_within(const Linear& form, int64_t target, int depth);
  [[nodiscard]] int64_t lower_of_primitive(const Linear& form, int64_t target, int depth);
  [[nodiscard]] int64_t interval_lower(const Linear& form);
  [[nodiscard]] std::vector<Term> pivots(const Linear& form);
  [[nodiscard]] bool any_fact_with(const Monomial& monomial) const;
  void with_pivot(Search& search);
  void by_common_factor(Search& search);
  void by_own_interval(Search& search);
  void by_known_facts(Search& search);
  void by_products(Search& search);
  void by_atom(Search& search, const Atom& atom);
  void by_quotients(Search& search);
  [[nodiscard]] static std::vector<const Atom*> quotients_of(const Linear& form,
                                                             const Monomial& symbol);
  /// What a quotient says of itself: both are >= 0.
  struct Remainder {
    Linear least;
    std::optional<Linear> most;  // nothing where a number gets too large
  };
  [[nodiscard]] std::optional<Remainder> remainder(const Atom& quotient);
  void by_divisor(Search& search, const Atom& quotient);
  void with_fact(Search& search, const Linear& fact, bool equality = false);
  void with_multiple(Search& search, const Linear& fact, const Atom& atom, bool equality = false);

  // Case splits (elimination_cases.cc).
  void by_cases(Search& search, const Atom& atom);
  [[nodiscard]] int64_t in_case(const Search& search, const Atom& atom, const Linear& value,
                                std::vector<Assumption> assumptions);
  [[nodiscard]] std::optional<Linear> replaced(const Linear& form, const Atom& atom,
                                               const Linear& value);
  [[nodiscard]] bool impossible(const Assumption& assumption);

  static constexpr int kMaxDepth = 10;
  static constexpr size_t kMaxFacts = 12;  // tried for one pivot
  static constexpr size_t kMaxPivots = 3;
  static constexpr size_t kMaxOperands = 4;
  static constexpr size_t kMaxAssumptions = 12;

  Pool& pool_;
  Knowledge* knowledge_;
  std::unordered_map<Key, Found, KeyHash> memo_;
  std::vector<Assumption> assumptions_;
  uint32_t context_ = 0;
  uint32_t next_context_ = 1;
  size_t steps_left_ = 0;
};

}  // namespace onnx_shapes
