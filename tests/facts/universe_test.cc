// Every expression of a small universe: how many of those that are equal for all numbers does the
// prover equate, on top of the normal form?
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "expr/text.h"
#include "facts/prover.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using Operation = std::function<Dim(Dim, Dim)>;

struct Universe {
  std::vector<Dim> dims;  // distinct
};

/// Two symbols, the numbers 0 to 3, and operations nested up to two deep.
Universe all_expressions(Pool& pool, const std::vector<Operation>& operations) {
  std::vector<Dim> level{pool.symbol(0), pool.symbol(1)};
  for (const int64_t number : {0, 1, 2, 3}) level.push_back(pool.constant(number));
  for (int depth = 0; depth < 2; ++depth) {
    std::set<const Expr*> seen;
    std::vector<Dim> next;
    const auto keep = [&](Dim dim) {
      if (dim.known() && seen.insert(dim.expr()).second) next.push_back(dim);
    };
    for (const Dim dim : level) keep(dim);
    for (const Dim a : level) {
      for (const Dim b : level) {
        for (const Operation& operation : operations) keep(operation(a, b));
      }
    }
    level = std::move(next);
  }
  return {level};
}

/// The values on a grid that is wide enough to tell the remainders modulo 12 apart, and with
/// numbers large enough to tell slopes apart. Every expression here is defined everywhere.
std::vector<int64_t> values(Dim dim) {
  static const std::vector<int64_t> kNumbers{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,    10,   11,
                                             12, 13, 17, 18, 19, 23, 28, 31, 97, 1000, 10007};
  std::vector<int64_t> result;
  for (const int64_t a : kNumbers) {
    for (const int64_t b : kNumbers) {
      const auto value = evaluate(
          dim, [&](SymbolId symbol) -> std::optional<int64_t> { return symbol == 0 ? a : b; });
      REQUIRE(value.has_value());
      result.push_back(*value);
    }
  }
  return result;
}

struct Recall {
  size_t expressions = 0;
  size_t classes = 0;
  size_t proved = 0;
  [[nodiscard]] double share() const {
    return static_cast<double>(classes + proved) / static_cast<double>(expressions);
  }
};

/// Compares each expression with the first of those that have its values, and with a few others.
Recall measure(Pool& pool, const Universe& universe) {
  Prover prover(pool);
  std::map<std::vector<int64_t>, Dim> classes;
  Recall recall;
  recall.expressions = universe.dims.size();
  Dim previous;
  for (const Dim dim : universe.dims) {
    const auto [place, is_new] = classes.try_emplace(values(dim), dim);
    if (is_new) {
      ++recall.classes;
      if (previous.known() && prover.equal(previous, dim) == Truth::kTrue) {
        FAIL("unsound: " << to_text(previous) << " == " << to_text(dim));
      }
      previous = dim;
      continue;
    }
    const Truth answer = prover.equal(place->second, dim);
    if (answer == Truth::kFalse) {
      FAIL("unsound: " << to_text(place->second) << " != " << to_text(dim));
    }
    if (answer == Truth::kTrue) ++recall.proved;
  }
  UNSCOPED_INFO(recall.expressions << " expressions, " << recall.classes << " classes, "
                                   << recall.proved << " proved: " << 100 * recall.share() << " %");
  return recall;
}

const std::vector<Operation>& polynomials() {
  static const std::vector<Operation> kOperations{[](Dim a, Dim b) { return a + b; },
                                                  [](Dim a, Dim b) { return a - b; },
                                                  [](Dim a, Dim b) { return a * b; }};
  return kOperations;
}

Dim quotient_by_number(Dim a, Dim b) {
  return b.number().value_or(0) >= 1 ? floor_div(a, b) : Dim();
}

Dim remainder_by_number(Dim a, Dim b) { return b.number().value_or(0) >= 1 ? mod(a, b) : Dim(); }

TEST_CASE("The prover equates 99.5 % of the small universe with division") {
  Pool pool;
  static_cast<void>(pool.add_symbol("a"));
  static_cast<void>(pool.add_symbol("b"));
  std::vector<Operation> operations = polynomials();
  operations.emplace_back(quotient_by_number);
  operations.emplace_back(remainder_by_number);
  CHECK(measure(pool, all_expressions(pool, operations)).share() >= 0.995);
}

TEST_CASE("The prover equates 92 % of the small universe with extrema") {
  Pool pool;
  static_cast<void>(pool.add_symbol("a"));
  static_cast<void>(pool.add_symbol("b"));
  std::vector<Operation> operations = polynomials();
  operations.emplace_back([](Dim a, Dim b) { return max(a, b); });
  operations.emplace_back([](Dim a, Dim b) { return min(a, b); });
  CHECK(measure(pool, all_expressions(pool, operations)).share() >= 0.92);
}

}  // namespace
}  // namespace onnx_shapes
