// All small expressions: identical normal forms have equal values, and how often equal values have
// identical normal forms.
//
// The universe has two symbols that are at least 0, the numbers 0 to 3, and all expressions of
// depth 2 at most. Values are computed by definition, from the values of the operands, on a grid
// that is larger than any period or threshold that such expressions have, and at some large
// numbers.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expr/expr.h"
#include "expr/text.h"
#include "tests/expr/tree.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

constexpr std::array<int64_t, 21> kGrid = {0,  1,  2,  3,  4,  5,  6,  7,  8,    9,   10,
                                           11, 12, 13, 17, 18, 24, 37, 99, 1000, 4321};

/// The values for every pair of numbers in the grid, one after the other.
using Signature = std::vector<int64_t>;

struct SignatureHash {
  size_t operator()(const Signature& signature) const {
    uint64_t hash = 0;
    for (const int64_t value : signature) {
      hash = (hash ^ static_cast<uint64_t>(value)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return static_cast<size_t>(hash);
  }
};

/// How an operation makes a dim, and how it makes a number.
struct Operator {
  Operation operation;
  Dim (*of_dims)(Dim, Dim);
};

const Operator kSum = {Operation::kAdd, operator+ };
const Operator kDifference = {Operation::kSubtract, operator- };
const Operator kProduct = {Operation::kMultiply, operator* };
const Operator kQuotient = {Operation::kFloorDiv, floor_div};
const Operator kRemainder = {Operation::kMod, mod};
const Operator kMaximum = {Operation::kMax, max};
const Operator kMinimum = {Operation::kMin, min};

struct Member {
  Dim dim;
  Signature signature;
};

std::optional<Signature> apply(Operation operation, const Signature& a, const Signature& b) {
  Tree tree = make_tree(operation, {symbol_tree(0), symbol_tree(1)});
  Signature result;
  result.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<int64_t> value = value_of(tree, {a[i], b[i]});
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

/// Distinct normal forms, in order of creation.
class Universe {
 public:
  void add(Dim dim, Signature signature) {
    if (!dim.known()) FAIL("a small expression overflows");
    const auto [at, is_new] = places_.emplace(dim.expr(), members_.size());
    if (is_new) {
      members_.push_back({dim, std::move(signature)});
    } else if (members_[at->second].signature != signature) {
      FAIL(to_text(dim) << " stands for two values");
    }
  }

  /// One more level on top.
  void deepen(const std::vector<Operator>& operators) {
    const std::vector<Member> members = members_;
    for (const Operator& op : operators) {
      for (const Member& a : members) {
        for (const Member& b : members) apply_to(op, a, b);
      }
    }
  }

  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

 private:
  void apply_to(const Operator& op, const Member& a, const Member& b) {
    // Divisors are numbers: for others the contract of the operation excludes some of the grid.
    const bool divides = op.operation == Operation::kFloorDiv || op.operation == Operation::kMod;
    if (divides && b.dim.number().value_or(0) < 1) return;
    std::optional<Signature> signature = apply(op.operation, a.signature, b.signature);
    if (signature) add(op.of_dims(a.dim, b.dim), std::move(*signature));
  }

  std::vector<Member> members_;
  std::unordered_map<const Expr*, size_t> places_;
};

void add_leaves(Pool& pool, Universe& universe) {
  Signature a;
  Signature b;
  for (const int64_t x : kGrid) {
    for (const int64_t y : kGrid) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  universe.add(pool.symbol(pool.add_symbol("a")), a);
  universe.add(pool.symbol(pool.add_symbol("b")), b);
  for (int64_t number = 0; number <= 3; ++number) {
    universe.add(pool.constant(number), Signature(a.size(), number));
  }
}

/// That evaluation agrees, on some of the grid.
void check_evaluation(const Universe& universe) {
  const Signature& a = universe.members()[0].signature;
  const Signature& b = universe.members()[1].signature;
  for (const Member& member : universe.members()) {
    for (size_t i = 0; i < a.size(); i += 40) {
      const auto value = evaluate(
          member.dim, [&](SymbolId symbol) { return std::optional(symbol == 0 ? a[i] : b[i]); });
      if (value != member.signature[i]) FAIL(to_text(member.dim) << " has another value");
      if (!member.dim.bounds().contains(member.signature[i])) {
        FAIL(to_text(member.dim) << " leaves its bounds");
      }
    }
  }
}

struct Recall {
  size_t forms = 0;
  size_t values = 0;
  /// The values for each form; 1 if equal values always have one form.
  [[nodiscard]] double share() const {
    return static_cast<double>(values) / static_cast<double>(forms);
  }
};

Recall recall_of(const std::vector<Operator>& operators) {
  Pool pool;
  Universe universe;
  add_leaves(pool, universe);
  universe.deepen(operators);
  universe.deepen(operators);
  check_evaluation(universe);
  std::unordered_set<Signature, SignatureHash> values;
  for (const Member& member : universe.members()) values.insert(member.signature);
  return {universe.members().size(), values.size()};
}

}  // namespace

TEST_CASE("Small polynomials are equal exactly if they are identical") {
  const Recall recall = recall_of({kSum, kDifference, kProduct});
  CHECK(recall.values > 1000);
  CHECK(recall.values == recall.forms);
}

TEST_CASE("Small quotients and remainders that are equal are almost always identical") {
  const Recall recall = recall_of({kSum, kDifference, kProduct, kQuotient, kRemainder});
  INFO(recall.values << " values, " << recall.forms << " normal forms");
  CHECK(recall.values > 2000);
  CHECK(recall.share() >= 0.99);
}

TEST_CASE("Small maxima and minima that are equal are mostly identical") {
  const Recall recall = recall_of({kSum, kDifference, kProduct, kMaximum, kMinimum});
  INFO(recall.values << " values, " << recall.forms << " normal forms");
  CHECK(recall.values > 4000);
  CHECK(recall.share() >= 0.86);
}

TEST_CASE("Small expressions of all operations that are equal are mostly identical") {
  const Recall recall =
      recall_of({kSum, kDifference, kProduct, kQuotient, kRemainder, kMaximum, kMinimum});
  INFO(recall.values << " values, " << recall.forms << " normal forms");
  CHECK(recall.values > 6000);
  CHECK(recall.share() >= 0.88);
}

}  // namespace onnx_shapes
