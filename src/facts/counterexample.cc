// Searches for numbers that satisfy the facts and break a claim: small ones first, then ones near
// the constants that the facts and the claim name.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "facts/constraints_impl.h"
#include "facts/prover.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr size_t kMaxSymbols = 48;
constexpr size_t kMaxTries = 20'000;           // evaluations of a whole binding, per phase
constexpr size_t kMaxPlaces = 20 * kMaxTries;  // choices for single symbols
constexpr size_t kMaxConstants = 12;

/// The symbols of the claim, with all that constraints relate them to.
class Problem {
 public:
  Problem(const SymbolTable& symbols, const ConstraintSet& constraints, const Claim& claim,
          const std::unordered_set<SymbolId>& positive, std::span<const Equality> also)
      : pool_(symbols.pool()),
        knowledge_(*constraints.knowledge()),
        claim_(claim),
        positive_(positive) {
    collect(constraints, also);
  }

  [[nodiscard]] bool feasible() const { return claim_.a.known() && claim_.b.known() && small_; }
  /// Those whose numbers are chosen; the others follow.
  [[nodiscard]] const std::vector<SymbolId>& chosen() const { return free_; }
  [[nodiscard]] Interval range(SymbolId symbol) {
    Interval range = knowledge_.narrowing().of(pool_.symbol(symbol));
    if (positive_.contains(symbol)) range.lo = std::max<int64_t>(range.lo, 1);
    return range;
  }
  /// Numbers that the claim and the facts name.
  [[nodiscard]] const std::set<int64_t>& constants() const { return constants_; }

  /// The binding of all symbols, if it satisfies the facts and breaks the claim.
  [[nodiscard]] std::optional<Binding> counterexample(const std::vector<int64_t>& values) {
    std::unordered_map<SymbolId, int64_t> bound;
    for (size_t i = 0; i < free_.size(); ++i) bound[free_[i]] = values[i];
    const std::function<std::optional<int64_t>(SymbolId)> binding =
        [&bound](SymbolId symbol) -> std::optional<int64_t> {
      const auto found = bound.find(symbol);
      if (found == bound.end()) return std::nullopt;
      return found->second;
    };
    numbers_.forget();
    for (const auto& [symbol, value] : solved_) {
      const std::optional<int64_t> number = numbers_.evaluate(value, binding);
      if (!number) return std::nullopt;
      solved_numbers_.emplace_back(symbol, *number);
    }
    bound.insert(solved_numbers_.begin(), solved_numbers_.end());
    solved_numbers_.clear();
    numbers_.forget();
    for (const auto& [symbol, number] : bound) {
      if (!pool_.symbol_range(symbol).contains(number)) return std::nullopt;
      if (number < 1 && positive_.contains(symbol)) return std::nullopt;
    }
    for (const Equality& equality : equalities_) {
      const auto a = numbers_.evaluate(equality.a, binding);
      if (!a || a != numbers_.evaluate(equality.b, binding)) return std::nullopt;
    }
    for (const UpperBound& bounded : bounds_) {
      const auto lhs = numbers_.evaluate(bounded.lhs, binding);
      const auto rhs = numbers_.evaluate(bounded.rhs, binding);
      if (!lhs || !rhs || *lhs > *rhs) return std::nullopt;
    }
    const auto a = numbers_.evaluate(claim_.a, binding);
    const auto b = numbers_.evaluate(claim_.b, binding);
    if (!a || !b || (claim_.kind == Claim::Kind::kEqual ? *a == *b : *a <= *b)) return std::nullopt;
    Binding result(bound.begin(), bound.end());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  void collect(const ConstraintSet& constraints, std::span<const Equality> also) {
    // Each constraint by its symbols, so that the walk sees each once.
    std::unordered_map<SymbolId, std::vector<size_t>> users;
    const std::span<const Equality> known = constraints.equalities();
    std::vector<Equality> equalities(known.begin(), known.end());
    equalities.insert(equalities.end(), also.begin(), also.end());
    const std::span<const UpperBound> bounds = constraints.upper_bounds();
    const auto sides = [&](size_t i) {
      return i < equalities.size()
                 ? std::pair{equalities[i].a, equalities[i].b}
                 : std::pair{bounds[i - equalities.size()].lhs, bounds[i - equalities.size()].rhs};
    };
    for (size_t i = 0; i < equalities.size() + bounds.size(); ++i) {
      const auto [a, b] = sides(i);
      for (const Dim side : {a, b}) {
        for (const SymbolId symbol : knowledge_.lists().of(side)) users[symbol].push_back(i);
      }
    }
    std::set<SymbolId> symbols;
    std::set<size_t> used;
    std::vector<SymbolId> stack;
    const auto reach = [&](Dim dim) {
      note_constants(dim);
      for (const SymbolId symbol : knowledge_.lists().of(dim)) {
        if (symbols.insert(symbol).second) stack.push_back(symbol);
      }
    };
    reach(claim_.a);
    reach(claim_.b);
    while (!stack.empty()) {
      const SymbolId symbol = stack.back();
      stack.pop_back();
      reach(knowledge_.resolve(pool_.symbol(symbol)));
      for (const size_t i : users[symbol]) {
        if (!used.insert(i).second) continue;
        reach(sides(i).first);
        reach(sides(i).second);
      }
    }
    small_ = symbols.size() <= kMaxSymbols;
    for (const size_t i : used) {
      if (i < equalities.size()) {
        equalities_.push_back(equalities[i]);
      } else {
        bounds_.push_back(bounds[i - equalities.size()]);
      }
    }
    for (const SymbolId symbol : symbols) {
      const Dim dim = pool_.symbol(symbol);
      const Dim value = knowledge_.resolve(dim);
      if (value == dim) {
        free_.push_back(symbol);
      } else {
        solved_.emplace_back(symbol, value);
      }
    }
  }

  void note_constants(Dim dim) {
    if (!dim.known() || constants_.size() >= kMaxConstants) return;
    for (const Term& term : dim.expr()->terms) {
      if (term.monomial->degree == 0) constants_.insert(term.coefficient);
      for (const Factor& factor : term.monomial->factors) {
        for (const Expr* operand : factor.atom->operands) note_constants(Dim(operand));
      }
    }
  }

  Pool& pool_;
  Knowledge& knowledge_;
  Claim claim_;
  const std::unordered_set<SymbolId>& positive_;
  bool small_ = true;
  std::vector<SymbolId> free_;
  std::vector<std::pair<SymbolId, Dim>> solved_;
  AtomValues numbers_;
  std::vector<std::pair<SymbolId, int64_t>> solved_numbers_;
  std::vector<Equality> equalities_;
  std::vector<UpperBound> bounds_;
  std::set<int64_t> constants_;
};

/// The sum of the numbers' magnitudes.
uint64_t size_of(const Binding& binding) {
  uint64_t sum = 0;
  for (const auto& [symbol, number] : binding) {
    const uint64_t magnitude = gcd_magnitude(number, 0);
    sum = sum > UINT64_MAX - magnitude ? UINT64_MAX : sum + magnitude;
  }
  return sum;
}

class SmallestBinding {
 public:
  explicit SmallestBinding(Problem& problem) : problem_(problem) {
    for (const SymbolId symbol : problem.chosen()) {
      const Interval range = problem.range(symbol);
      ranges_.push_back(range);
      const bool has_0 = range.contains(0);
      nearest_.push_back(has_0 ? 0 : range.lo > 0 ? range.lo : range.hi);
    }
  }

  std::optional<Binding> find() {
    by_size();
    if (!best_) by_constants();
    return best_;
  }

 private:
  void consider(const std::vector<int64_t>& values) {
    ++tries_;
    std::optional<Binding> binding = problem_.counterexample(values);
    if (!binding) return;
    const uint64_t size = size_of(*binding);
    if (best_ && (size > best_size_ || (size == best_size_ && *binding >= *best_))) return;
    best_ = std::move(binding);
    best_size_ = size;
    best_values_ = values;
  }

  /// All choices, in order of how far they are from the smallest numbers together.
  void by_size() {
    uint64_t least = 0;
    for (const int64_t value : nearest_) {
      const uint64_t magnitude = gcd_magnitude(value, 0);
      least = least > UINT64_MAX - magnitude ? UINT64_MAX : least + magnitude;
    }
    std::vector<int64_t> values(ranges_.size());
    for (uint64_t distance = 0; tries_ < kMaxTries && places_ < kMaxPlaces; ++distance) {
      // The other symbols' numbers only add to the size.
      if (best_ && (least > best_size_ || distance > best_size_ - least)) return;
      const size_t before = tries_;
      place(values, 0, distance);
      if (tries_ == before || ranges_.empty()) return;
    }
  }

  void place(std::vector<int64_t>& values, size_t i, uint64_t distance) {
    if (tries_ >= kMaxTries || ++places_ >= kMaxPlaces) return;
    if (i == values.size()) {
      if (distance == 0) consider(values);
      return;
    }
    const bool last = i + 1 == values.size();
    for (uint64_t part = last ? distance : 0; part <= distance; ++part) {
      const auto step = static_cast<int64_t>(part);
      const std::optional<int64_t> up = checked_add(nearest_[i], step);
      const std::optional<int64_t> down = checked_sub(nearest_[i], step);
      const bool can_up = up && ranges_[i].contains(*up);
      const bool can_down = step != 0 && down && ranges_[i].contains(*down);
      if (can_up) {
        values[i] = *up;
        place(values, i + 1, distance - part);
      }
      if (can_down) {
        values[i] = *down;
        place(values, i + 1, distance - part);
      }
      if (!can_up && !can_down) break;
    }
  }

  void by_constants() {
    std::vector<std::vector<int64_t>> candidates;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      std::set<int64_t> some;
      const auto add = [&](int64_t base) {
        for (const int64_t step : {-1, 0, 1}) {
          const std::optional<int64_t> value = checked_add(base, step);
          if (value && ranges_[i].contains(*value)) some.insert(*value);
        }
      };
      add(nearest_[i]);
      for (const int64_t constant : problem_.constants()) {
        add(constant);
        if (constant != INT64_MIN) add(-constant);
      }
      candidates.emplace_back(some.begin(), some.end());
    }
    tries_ = 0;
    std::vector<int64_t> values(ranges_.size());
    combine_candidates(candidates, values, 0);
    if (best_) shrink();
  }

  void combine_candidates(const std::vector<std::vector<int64_t>>& candidates,
                          std::vector<int64_t>& values, size_t i) {
    if (tries_ >= kMaxTries) return;
    if (i == values.size()) return consider(values);
    for (const int64_t value : candidates[i]) {
      values[i] = value;
      combine_candidates(candidates, values, i + 1);
    }
  }

  /// Moves one number after the other towards its smallest, by halves and then by ones.
  void shrink() {
    tries_ = 0;
    bool smaller = true;
    while (smaller && tries_ < kMaxTries) {
      const uint64_t before = best_size_;
      for (size_t i = 0; i < ranges_.size(); ++i) {
        for (int64_t step = best_values_[i] / 2 - nearest_[i] / 2; step != 0; step /= 2) {
          std::vector<int64_t> values = best_values_;
          values[i] -= step;
          consider(values);
        }
        std::vector<int64_t> values = best_values_;
        if (values[i] == nearest_[i]) continue;
        values[i] += values[i] > nearest_[i] ? -1 : 1;
        consider(values);
      }
      smaller = best_size_ < before;
    }
  }

  Problem& problem_;
  std::vector<Interval> ranges_;
  std::vector<int64_t> nearest_;  // to 0
  size_t tries_ = 0;
  size_t places_ = 0;
  std::optional<Binding> best_;
  uint64_t best_size_ = 0;
  std::vector<int64_t> best_values_;
};

}  // namespace

std::optional<Binding> find_counterexample(const SymbolTable& symbols,
                                           const ConstraintSet& constraints, const Claim& claim,
                                           const std::unordered_set<SymbolId>& positive,
                                           std::span<const Equality> also) {
  Problem problem(symbols, constraints, claim, positive, also);
  if (!problem.feasible()) return std::nullopt;
  return SmallestBinding(problem).find();
}

}  // namespace onnx_shapes
