// Questions about dims: numbers, symbols, values, replacement and order.
#include <algorithm>
#include <string>
#include <vector>

#include "expr/expr.h"
#include "expr/text.h"
#include "tests/expr/text_names.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

/// Symbols a, b, c, ... with the ids 0, 1, 2, ...
std::vector<Dim> add_letters(Pool& pool, size_t count, Interval range = Interval::at_least(0)) {
  std::vector<Dim> symbols;
  for (size_t i = 0; i < count; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    symbols.push_back(pool.symbol(pool.add_symbol(name, range)));
  }
  return symbols;
}

auto bound_to(std::vector<int64_t> values) {
  return [values = std::move(values)](SymbolId symbol) {
    return symbol < values.size() ? std::optional(values[symbol]) : std::nullopt;
  };
}

}  // namespace

TEST_CASE("Dim: numbers, symbols and what is neither") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 2);
  CHECK(Dim().number() == std::nullopt);
  CHECK_FALSE(Dim().is(0));
  CHECK(Dim().bounds() == Interval::all());
  CHECK(pool.constant(0).number() == 0);
  CHECK(pool.constant(-7).number() == -7);
  CHECK(pool.constant(INT64_MIN).number() == INT64_MIN);
  CHECK(pool.constant(4).is(4));
  CHECK_FALSE(pool.constant(4).is(5));
  CHECK(s[0].number() == std::nullopt);
  CHECK(as_symbol(s[1]) == SymbolId{1});
  CHECK(as_symbol(s[1] * 2) == std::nullopt);
  CHECK(as_symbol(s[1] + 1) == std::nullopt);
  CHECK(as_symbol(s[1] * s[1]) == std::nullopt);
  CHECK(as_symbol(max(s[0], s[1])) == std::nullopt);
  CHECK(as_symbol(pool.constant(1)) == std::nullopt);
  CHECK(as_symbol(Dim()) == std::nullopt);
}

TEST_CASE("Dim: a number is one dim, however it is made") {
  Pool pool;
  for (const int64_t number :
       {INT64_MIN + 1, int64_t{-3}, int64_t{-2}, int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{2},
        int64_t{127}, int64_t{128}, int64_t{129}, int64_t{130}, INT64_MAX - 1}) {
    const Dim dim = pool.constant(number);
    CHECK(dim.number() == number);
    CHECK(pool.constant(number) == dim);
    CHECK(pool.constant(number - 1) + 1 == dim);
    CHECK(pool.constant(number + 1) - pool.constant(1) == dim);
    CHECK(-pool.constant(-number) == dim);
    CHECK(pool.constant(number + 1) != dim);
  }
}

TEST_CASE("Dim: a sum of numbers that 64 bits do not hold is unknown, and counted") {
  Pool pool;
  CHECK_FALSE((pool.constant(INT64_MAX) + 1).known());
  CHECK_FALSE((pool.constant(INT64_MIN) - pool.constant(1)).known());
  CHECK_FALSE(combine(pool.constant(INT64_MAX), 2, pool.constant(1), 1).known());
  CHECK(pool.overflow_count() == 3);
}

TEST_CASE("Dim: the symbols of a dim") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 5);
  const auto symbols_of = [](Dim dim) {
    std::vector<SymbolId> ids;
    for_each_symbol(dim, [&](SymbolId id) { ids.push_back(id); });
    return ids;
  };
  const Dim dim = floor_div(s[3] * s[0] + max(s[1], s[3]), s[0] + 1) + s[3];
  CHECK(symbols_of(dim) == std::vector<SymbolId>{0, 1, 3});
  CHECK(symbols_of(pool.constant(3)).empty());
  CHECK(symbols_of(Dim()).empty());
  CHECK(mentions(dim, 1));
  CHECK_FALSE(mentions(dim, 2));
  CHECK_FALSE(mentions(dim - dim, 1));
  CHECK_FALSE(mentions(Dim(), 0));
}

TEST_CASE("Dim: values under a binding") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 2, Interval::all());
  CHECK(evaluate(s[0] * s[1] - 4, bound_to({3, 5})) == 11);
  CHECK(evaluate(floor_div(s[0], 2), bound_to({-7, 0})) == -4);
  CHECK(evaluate(mod(s[0], 4), bound_to({-7, 0})) == 1);
  CHECK(evaluate(ceil_div(s[0], s[1]), bound_to({7, 2})) == 4);
  CHECK(evaluate(max(s[0], s[1]), bound_to({7, 2})) == 7);
  CHECK(evaluate(min(s[0], s[1]), bound_to({7, 2})) == 2);
  CHECK(evaluate(broadcast(s[0], s[1]), bound_to({1, 0})) == 0);
  CHECK(evaluate(broadcast(s[0], s[1]), bound_to({6, 6})) == 6);
  CHECK(evaluate(pool.constant(INT64_MIN), bound_to({})) == INT64_MIN);
}

TEST_CASE("Dim: where there is no value") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 3, Interval::all());
  CHECK(evaluate(Dim(), bound_to({1, 2, 3})) == std::nullopt);
  CHECK(evaluate(s[0] + s[2], bound_to({1, 2})) == std::nullopt);
  CHECK(evaluate(floor_div(s[0], s[1]), bound_to({1, 0})) == std::nullopt);
  CHECK(evaluate(floor_div(s[0], s[1]), bound_to({1, -1})) == std::nullopt);
  CHECK(evaluate(broadcast(s[0], s[1]), bound_to({2, 3})) == std::nullopt);
  CHECK(evaluate(broadcast(s[0], s[1]), bound_to({0, 2})) == std::nullopt);
  CHECK(evaluate(s[0] * s[1], bound_to({INT64_MAX, 2})) == std::nullopt);
  CHECK(evaluate(s[0] * 3 - s[1] * 2, bound_to({INT64_MAX, INT64_MAX})) == INT64_MAX);
  CHECK(evaluate(s[0] + 1, bound_to({INT64_MAX})) == std::nullopt);
  Dim huge = s[0];
  for (int i = 0; i < 6; ++i) huge = huge * huge;
  CHECK(evaluate(huge, bound_to({INT64_MAX})) == std::nullopt);
}

TEST_CASE("Dim: a value takes one visit to each part, however often it occurs") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 2);
  Dim dim = s[0];
  for (int i = 0; i < 60; ++i) dim = floor_div(dim * s[0] + s[1], s[1] + 2) + dim;
  REQUIRE(dim.known());
  size_t lookups = 0;
  const auto value = evaluate(dim, [&](SymbolId) {
    ++lookups;
    return std::optional<int64_t>(0);
  });
  CHECK(value == 0);
  CHECK(lookups < 10'000);
  CHECK(mentions(dim, 0));
}

TEST_CASE("Substitution: replaces and simplifies") {
  struct Row {
    const char* dim;
    const char* a;
    const char* expected;
  };
  // `a` is replaced; everything else stays.
  const std::vector<Row> rows = {
      {"a", "b", "b"},
      {"b + 1", "c", "b + 1"},
      {"a + b", "3", "b + 3"},
      {"a*a - b*b", "b", "0"},
      {"a*b", "c + 1", "b*c + b"},
      {"(a + 1)//2", "2*b + 1", "b + 1"},
      {"(b*c)//a", "c", "b"},
      {"max(a, b)", "b + 1", "b + 1"},
      {"min(a, b, 4)", "2", "min(b, 2)"},
      {"broadcast(a, b)", "1", "b"},
      {"broadcast(a, b)", "b", "b"},
      {"broadcast(a, b)", "4", "4"},
      {"max((a + b)//2, c)*a", "b", "max(b, c)*b"},
      {"a", "a + 1", "a + 1"},
      {"a*b*b", "0", "0"},
      {"a//(b + 1) + (a//(b + 1))*c", "0", "0"},
  };
  for (const Row& row : rows) {
    Pool pool;
    TextNames names(pool);
    const Dim a = names("a");
    const auto dim = names.read(row.dim);
    const auto replacement = names.read(row.a);
    const auto expected = names.read(row.expected);
    REQUIRE((dim.ok() && replacement.ok() && expected.ok()));
    Substitution substitution(
        [&](SymbolId symbol) { return symbol == as_symbol(a) ? *replacement : Dim(); });
    INFO(row.dim << " with " << row.a << " for a");
    CHECK(to_text(substitution(*dim)) == to_text(*expected));
    CHECK(substitution(*dim) == *expected);
    CHECK(substitution(*dim) == *expected);
  }
}

TEST_CASE("Substitution: replaces all symbols at once") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 2);
  Substitution exchange([&](SymbolId symbol) { return s[1 - symbol]; });
  CHECK(exchange(s[0] - s[1] * 2) == s[1] - s[0] * 2);
  CHECK(exchange(floor_div(s[0], s[1] + 1)) == floor_div(s[1], s[0] + 1));
}

TEST_CASE("Substitution: what has no value afterwards is unknown") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 3);
  const auto with = [&](SymbolId replaced, Dim by) {
    return Substitution([=](SymbolId id) { return id == replaced ? by : Dim(); });
  };
  CHECK_FALSE(with(1, pool.constant(0))(floor_div(s[0], s[1])).known());
  Substitution both([&](SymbolId id) { return pool.constant(id == 1 ? 3 : 2); });
  CHECK_FALSE(both(broadcast(s[1], s[2])).known());
  CHECK_FALSE(with(0, pool.constant(INT64_MAX))(s[0] * 2).known());
  CHECK_FALSE(with(0, s[1])(Dim()).known());
}

TEST_CASE("Order: numbers, then by degree and names") {
  Pool pool;
  // Made in an order that is not the alphabet's.
  const Dim z = pool.symbol(pool.add_symbol("z"));
  const Dim m = pool.symbol(pool.add_symbol("m"));
  const Dim a = pool.symbol(pool.add_symbol("a"));
  const std::vector<Dim> in_order = {
      pool.constant(-3), pool.constant(0), pool.constant(12), a, m, z, a * a, a * m, m * z,
      a * m * z,
  };
  for (size_t i = 0; i < in_order.size(); ++i) {
    for (size_t j = 0; j < in_order.size(); ++j) {
      INFO(to_text(in_order[i]) << " before " << to_text(in_order[j]));
      CHECK(reads_before(in_order[i], in_order[j]) == (i < j));
    }
  }
  CHECK(reads_before(a, Dim()));
  CHECK_FALSE(reads_before(Dim(), a));
  CHECK_FALSE(reads_before(Dim(), Dim()));
}

TEST_CASE("Order: does not depend on the order of creation") {
  const std::vector<const char*> texts = {
      "a + b",
      "a + c",
      "b//2",
      "a//2",
      "a//3",
      "max(a, b)",
      "min(a, b)",
      "max(a, b, c)",
      "broadcast(a, b)",
      "broadcast(b, c)",
      "a*(b//2)",
      "a*(c//2)",
      "(a + b)//2",
      "(a + b)//c",
      "2*a",
      "max(a//2, b)",
      "max(a//2, c)",
      "a - b",
      "max(b//3, a)*a",
      "3*a + 2*b",
  };
  const auto sorted = [&](bool backwards) {
    Pool pool;
    TextNames names(pool);
    if (backwards) (void)names.read("c + b + a");
    std::vector<const char*> made = texts;
    if (backwards) std::reverse(made.begin(), made.end());
    std::vector<Dim> dims;
    for (const char* text : made) dims.push_back(*names.read(text));
    std::sort(dims.begin(), dims.end(), reads_before);
    std::vector<std::string> result;
    for (const Dim dim : dims) result.push_back(to_text(dim));
    return result;
  };
  CHECK(sorted(false) == sorted(true));
}

TEST_CASE("Order: total and transitive on nested dims, in bounded time") {
  Pool pool;
  const std::vector<Dim> s = add_letters(pool, 3);
  Dim x = s[0];
  Dim y = s[0] + 1;
  for (int i = 0; i < 50; ++i) {
    x = max(floor_div(x * 3 + s[1], s[2] + 2) + x, s[1]);
    y = max(floor_div(y * 3 + s[1], s[2] + 2) + y, s[1]);
  }
  REQUIRE((x.known() && y.known()));
  CHECK(x != y);
  CHECK(reads_before(x, y) != reads_before(y, x));
}

TEST_CASE("Pool: counts and names") {
  Pool pool;
  CHECK(pool.symbol_count() == 0);
  const SymbolId id = pool.add_symbol("seq-length", {2, 9});
  CHECK(pool.symbol_count() == 1);
  CHECK(pool.symbol_name(id) == "seq-length");
  CHECK(pool.symbol_range(id) == Interval{2, 9});
  CHECK(pool.symbol(id).bounds() == Interval{2, 9});
  CHECK(pool.symbol(id) == pool.symbol(id));
  // Two symbols may have one name: they are two.
  CHECK(pool.symbol(pool.add_symbol("seq-length")) != pool.symbol(id));
  const uint64_t expressions = pool.expression_count();
  const Dim sum = pool.symbol(id) + 1;
  CHECK(pool.expression_count() > expressions);
  const uint64_t after = pool.expression_count();
  CHECK(pool.symbol(id) + 1 == sum);
  CHECK(pool.expression_count() == after);
  CHECK(pool.bytes() > 0);
}

}  // namespace onnx_shapes
