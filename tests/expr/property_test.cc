// Random expressions of every operation against an evaluator that knows no engine.
//
// ONNX_SHAPES_EXPR_ROUNDS sets how many evaluations, ONNX_SHAPES_EXPR_SEED with which expression
// to begin: a failure prints the seed that brings it back at once.
#include <cstdlib>
#include <string>
#include <unordered_map>

#include "expr/expr.h"
#include "tests/expr/random_tree.h"
#include "tests/expr/tree.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

constexpr uint64_t kDefaultRounds = 400'000;
constexpr int kBindings = 16;
constexpr int kDepth = 4;

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::optional<int64_t> evaluate_at(Dim dim, const Values& values) {
  return evaluate(dim, [&](SymbolId symbol) { return std::optional(values[symbol]); });
}

/// Makes every part of a dim again with the public operations.
class Rebuilding {
 public:
  explicit Rebuilding(Pool& pool) : pool_(pool) {}

  [[nodiscard]] Dim of(const Expr& expr) {
    if (const auto at = known_.find(&expr); at != known_.end()) return at->second;
    Dim sum = pool_.constant(0);
    for (const Term& term : expr.terms) {
      Dim product = pool_.constant(term.coefficient);
      for (const Factor& factor : term.monomial->factors) {
        const Dim base = of(*factor.atom);
        for (uint32_t i = 0; i < factor.exponent; ++i) product = product * base;
      }
      sum = sum + product;
    }
    known_.emplace(&expr, sum);
    return sum;
  }

 private:
  [[nodiscard]] Dim of(const Atom& atom) {
    if (atom.kind == AtomKind::kSymbol) return pool_.symbol(atom.symbol);
    std::vector<Dim> operands;
    for (const Expr* operand : atom.operands) operands.push_back(of(*operand));
    switch (atom.kind) {
      case AtomKind::kSymbol:
        break;
      case AtomKind::kFloorDiv:
        return floor_div(operands[0], operands[1]);
      case AtomKind::kMax:
        return max(operands);
      case AtomKind::kMin:
        return min(operands);
      case AtomKind::kBroadcast:
        return broadcast(operands);
    }
    return Dim();
  }

  Pool& pool_;
  std::unordered_map<const Expr*, Dim> known_;
};

/// Whether the normal form of the parts is the normal form of the whole. Not asked of symbols that
/// have few values: with 0 <= f <= 1, the sum `f - (f + 1)//2` is 0 where it stands alone.
bool is_made_again(Pool& pool, Dim dim) {
  bool has_few_values = false;
  for_each_symbol(dim, [&](SymbolId symbol) {
    has_few_values = has_few_values || pool.symbol_range(symbol).hi != Interval::kInf;
  });
  return !dim.known() || has_few_values || Rebuilding(pool).of(*dim.expr()) == dim;
}

/// What is wrong with the dim of the tree under the values; empty if nothing is. An intermediate
/// value of the normal form may be too large to compute with where no part of the tree is.
std::string fault_of_value(const Tree& tree, Dim dim, const Values& values, Numbers numbers) {
  const std::optional<int64_t> expected = value_of(tree, values);
  if (!expected || !dim.known()) return {};
  const std::optional<int64_t> actual = evaluate_at(dim, values);
  if (!actual) {
    return numbers == Numbers::kLarge ? "" : "no value, expected " + std::to_string(*expected);
  }
  if (*actual != *expected) {
    return "value " + std::to_string(*actual) + ", expected " + std::to_string(*expected);
  }
  const Interval bounds = dim.bounds();
  if (bounds.contains(*expected)) return {};
  return "bounds [" + std::to_string(bounds.lo) + ", " + std::to_string(bounds.hi) +
         "] do not hold " + std::to_string(*expected);
}

/// Replaces the symbols by the trees, on both sides.
std::string fault_of_substitution(Pool& pool, const Tree& tree, Dim dim,
                                  const std::vector<Tree>& replacements,
                                  std::span<const Dim> symbols, const Values& values,
                                  Numbers numbers) {
  Values replaced;
  std::vector<Dim> dims;
  for (size_t i = 0; i < replacements.size(); ++i) {
    const std::optional<int64_t> value = value_of(replacements[i], values);
    dims.push_back(build(pool, replacements[i], symbols));
    if (!value || !kSymbolRanges[i].contains(*value) || !dims.back().known()) return {};
    replaced.push_back(*value);
  }
  Substitution substitution([&](SymbolId symbol) { return dims[symbol]; });
  const Dim result = substitution(dim);
  const std::optional<int64_t> expected = value_of(tree, replaced);
  if (!expected || !result.known()) return {};
  const std::optional<int64_t> actual = evaluate_at(result, values);
  if (actual == expected || (!actual && numbers == Numbers::kLarge)) return {};
  return "after substitution " + (actual ? std::to_string(*actual) : std::string("no value")) +
         ", expected " + std::to_string(*expected);
}

struct Totals {
  uint64_t expressions = 0;
  uint64_t evaluations = 0;
  uint64_t defined = 0;
  uint64_t known = 0;
};

/// One expression, everything about it. The seed decides on all.
class Round {
 public:
  Round(uint64_t seed, Numbers numbers, Totals& totals)
      : random_(seed, numbers), numbers_(numbers), totals_(totals) {}

  /// Prints and fails for the first fault.
  void run() {
    const Tree tree = random_tree(random_, kDepth);
    std::vector<Tree> replacements;
    for (size_t i = 0; i < kSymbolRanges.size(); ++i)
      replacements.push_back(random_tree(random_, 1));
    Pool pool;
    const std::vector<Dim> symbols = add_symbols(pool);
    const Dim dim = build(pool, tree, symbols);
    ++totals_.expressions;
    if (dim.known()) ++totals_.known;
    // At the limits it depends on the order in which the parts are added whether a sum is known.
    if (numbers_ == Numbers::kSmall) {
      const std::string what = fault(pool, tree, dim, replacements, symbols, {});
      if (!what.empty()) report(what, tree, replacements, {});
    }
    for (int i = 0; i < kBindings; ++i) {
      const Values values = random_values(random_);
      ++totals_.evaluations;
      if (value_of(tree, values)) ++totals_.defined;
      const std::string what = fault(pool, tree, dim, replacements, symbols, values);
      if (!what.empty()) report(what, tree, replacements, values);
    }
  }

 private:
  /// Without values, whether the dim is made again from its parts.
  [[nodiscard]] std::string fault(Pool& pool, const Tree& tree, Dim dim,
                                  const std::vector<Tree>& replacements,
                                  std::span<const Dim> symbols, const Values& values) const {
    if (values.empty()) return is_made_again(pool, dim) ? "" : "is not made again from its parts";
    std::string fault = fault_of_value(tree, dim, values, numbers_);
    if (!fault.empty()) return fault;
    return fault_of_substitution(pool, tree, dim, replacements, symbols, values, numbers_);
  }

  void report(const std::string& what, Tree tree, std::vector<Tree> replacements,
              const Values& values) const {
    const auto fails = [&](const Tree& t, const std::vector<Tree>& r) {
      Pool pool;
      const std::vector<Dim> symbols = add_symbols(pool);
      return !fault(pool, t, build(pool, t, symbols), r, symbols, values).empty();
    };
    tree = shrink(tree, [&](const Tree& smaller) { return fails(smaller, replacements); });
    std::string place;
    for (size_t i = 0; i < values.size(); ++i) {
      Tree& replacement = replacements[i];
      replacement = shrink(replacement, [&](const Tree& smaller) {
        std::vector<Tree> others = replacements;
        others[i] = smaller;
        return fails(tree, others);
      });
      place += std::string(1, static_cast<char>('a' + i)) + "=" + std::to_string(values[i]) +
               " replaced by " + to_text(replacement) + "; ";
    }
    FAIL_CHECK(what << ": " << to_text(tree) << " at " << place);
  }

  Random random_;
  Numbers numbers_;
  Totals& totals_;
};

Totals run_rounds(Numbers numbers) {
  const uint64_t rounds = from_environment("ONNX_SHAPES_EXPR_ROUNDS", kDefaultRounds);
  const uint64_t first = from_environment("ONNX_SHAPES_EXPR_SEED", 1);
  Totals totals;
  for (uint64_t seed = first; totals.evaluations < rounds; ++seed) {
    INFO("ONNX_SHAPES_EXPR_SEED=" << seed << " ONNX_SHAPES_EXPR_ROUNDS=1");
    Round(seed, numbers, totals).run();
  }
  if (rounds != kDefaultRounds) {
    WARN(totals.evaluations << " evaluations of " << totals.expressions << " expressions, "
                            << totals.known << " known; " << totals.defined << " with a value");
  }
  return totals;
}

}  // namespace

TEST_CASE("Random expressions have the value and the bounds that their operations define") {
  const Totals totals = run_rounds(Numbers::kSmall);
  // The generator has to reach the engine: most of what it makes has a value.
  CHECK(totals.known * 100 >= totals.expressions * 90);
  if (totals.expressions > 100) CHECK(totals.defined * 2 >= totals.evaluations);
}

TEST_CASE("Random expressions at the ends of 64 bits are right or unknown") {
  const Totals totals = run_rounds(Numbers::kLarge);
  if (totals.expressions > 100) CHECK(totals.known * 4 >= totals.expressions);
}

TEST_CASE("A failure shrinks to what causes it") {
  // Stands for an engine in which every maximum under a quotient is wrong.
  const auto is_wrong = [](const Tree& tree) {
    const auto has = [](const auto& self, const Tree& part, bool under_quotient) -> bool {
      if (under_quotient && part.operation == Operation::kMax) return true;
      const bool under = under_quotient || part.operation == Operation::kFloorDiv;
      for (const Tree& operand : part.operands) {
        if (self(self, operand, under)) return true;
      }
      return false;
    };
    return has(has, tree, false);
  };
  int shrunk = 0;
  for (uint64_t seed = 1; seed < 200; ++seed) {
    Random random(seed);
    const Tree tree = random_tree(random, kDepth);
    if (!is_wrong(tree)) continue;
    ++shrunk;
    // A quotient, its maximum, the operands of both.
    CHECK(size_of(shrink(tree, is_wrong)) == 5);
  }
  CHECK(shrunk > 20);
}

}  // namespace onnx_shapes
