// What is printed is read back as the same dim, means the same numbers, and does not depend on how
// the dim was made: for every small expression, and for random ones.
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "expr/text.h"
#include "tests/expr/text_evaluator.h"
#include "tests/expr/text_names.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using Rng = std::mt19937_64;

/// Names of every kind: plain ones, one that is a function, and ones that need quotes.
constexpr std::array<const char*, 8> kNames = {"N",       "M",   "s10",  "past.seq",
                                               "seq-len", "max", "it's", "N + 1"};

uint64_t below(Rng& rng, uint64_t limit) { return rng() % limit; }

int64_t between(Rng& rng, int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(below(rng, static_cast<uint64_t>(hi - lo + 1)));
}

/// A pool with the names as symbols, made in the given order.
struct Names {
  explicit Names(Pool& pool, bool reversed = false) : texts(pool) {
    for (size_t i = 0; i < kNames.size(); ++i) {
      (void)texts(kNames[reversed ? kNames.size() - 1 - i : i]);
    }
  }
  Dim pick(Rng& rng) { return texts(kNames[below(rng, kNames.size())]); }

  TextNames texts;
};

Dim random_dim(Pool& pool, Names& names, Rng& rng, int depth);

Dim random_number(Pool& pool, Rng& rng) {
  constexpr std::array<int64_t, 6> kExtremes = {INT64_MAX,     INT64_MIN,        INT64_MAX - 1,
                                                INT64_MIN + 1, int64_t{1} << 40, 4096};
  if (below(rng, 40) == 0) return pool.constant(kExtremes[below(rng, kExtremes.size())]);
  return pool.constant(between(rng, -6, 12));
}

Dim random_divisor(Pool& pool, Names& names, Rng& rng, int depth) {
  switch (below(rng, 4)) {
    case 0:
      return names.pick(rng);
    case 1:
      return names.pick(rng) * between(rng, 1, 3) + between(rng, 0, 2);
    case 2:
      return random_dim(pool, names, rng, depth - 1);
    default:
      return pool.constant(between(rng, 1, 8));
  }
}

Dim random_operation(Pool& pool, Names& names, Rng& rng, int depth) {
  const Dim a = random_dim(pool, names, rng, depth - 1);
  switch (below(rng, 10)) {
    case 0:
      return floor_div(a, random_divisor(pool, names, rng, depth));
    case 1:
      return ceil_div(a, random_divisor(pool, names, rng, depth));
    case 2:
    case 3:
      return mod(a, random_divisor(pool, names, rng, depth));
    default:
      break;
  }
  const Dim b = random_dim(pool, names, rng, depth - 1);
  switch (below(rng, 6)) {
    case 0:
      return a - b;
    case 1:
      return a * b;
    case 2:
      return max(a, b);
    case 3:
      return min(a, b);
    case 4:
      return broadcast(a, b);
    default:
      return a + b;
  }
}

/// Unknown where an operation gives up.
Dim random_dim(Pool& pool, Names& names, Rng& rng, int depth) {
  if (depth <= 0 || below(rng, 6) == 0) {
    return below(rng, 3) == 0 ? random_number(pool, rng) : names.pick(rng);
  }
  return random_operation(pool, names, rng, depth);
}

/// Empty if the round trip holds, else what is wrong.
std::string round_trip_problem(Dim dim, TextNames& names) {
  const std::string text = to_text(dim);
  if (text.empty()) return {};  // longer than a text may be
  const auto again = names.read_declared(text);
  if (!again) return text + ": " + again.reason().message;
  if (*again != dim) return text + " is read as " + to_text(*again);
  return {};
}

using Binding = std::map<std::string, int64_t, std::less<>>;

/// Empty if the text means what the dim is, else what is wrong.
std::string meaning_problem(const Pool& pool, Dim dim, const Binding& binding) {
  const std::string text = to_text(dim);
  if (text.empty()) return {};
  const auto expected =
      evaluate(dim, [&](SymbolId id) { return binding.find(pool.symbol_name(id))->second; });
  if (!expected) return {};
  // A name that stands alone is written without quotes.
  const std::string quoted = as_symbol(dim) ? "(" + to_text(dim + 1) + ") - 1" : text;
  const auto found = evaluate_text(quoted, [&](std::string_view name) {
    const auto known = binding.find(name);
    return known == binding.end() ? std::nullopt : std::optional(known->second);
  });
  if (found.is_too_large || found.number == expected) return {};
  return text + " is " + std::to_string(*expected) + ", but reads as " +
         (found.number ? std::to_string(*found.number) : "nothing");
}

/// All expressions over two symbols and the numbers 0 to 3 with at most two operations in a row.
std::vector<Dim> small_universe(Pool& pool, TextNames& names) {
  std::vector<Dim> dims = {names("a"), names("b")};
  for (int64_t k = 0; k <= 3; ++k) dims.push_back(pool.constant(k));
  std::unordered_set<const Expr*> known;
  for (const Dim dim : dims) known.insert(dim.expr());
  for (int level = 0; level < 2; ++level) {
    const std::vector<Dim> operands = dims;
    for (const Dim a : operands) {
      for (const Dim b : operands) {
        for (const Dim result : {a + b, a - b, a * b, floor_div(a, b), mod(a, b), ceil_div(a, b),
                                 max(a, b), min(a, b), broadcast(a, b)}) {
          if (result.known() && known.insert(result.expr()).second) dims.push_back(result);
        }
      }
    }
  }
  return dims;
}

int rounds() {
  const char* text = std::getenv("ONNX_SHAPES_TEXT_ROUNDS");
  return text == nullptr ? 4'000 : std::atoi(text);
}

uint64_t first_seed() {
  const char* text = std::getenv("ONNX_SHAPES_TEXT_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("Round trip: every small expression") {
  Pool pool;
  TextNames names(pool);
  const std::vector<Dim> universe = small_universe(pool, names);
  CHECK(universe.size() > 5'000);
  size_t failures = 0;
  for (const Dim dim : universe) {
    std::string problem = round_trip_problem(dim, names);
    for (int64_t a = 0; a < 4 && problem.empty(); ++a) {
      for (int64_t b = 0; b < 4 && problem.empty(); ++b) {
        problem = meaning_problem(pool, dim, {{"a", a}, {"b", b}});
      }
    }
    if (problem.empty()) continue;
    if (++failures <= 10) UNSCOPED_INFO(problem);
  }
  CHECK(failures == 0);
}

TEST_CASE("Round trip: a sum with a part that is a number") {
  Pool pool;
  TextNames names(pool);
  const Dim v = names("v");
  // The quotient less v is 1 for every v.
  const Dim quotient = floor_div(v * 3 + floor_div(v, 2) * 2 + 5, 4);
  const Dim rest = mod(v, 2);
  REQUIRE((quotient - v).is(1));
  CHECK(round_trip_problem(quotient - (v + rest), names) == "");
  CHECK(round_trip_problem(quotient - (rest + v + 7), names) == "");
}

TEST_CASE("Round trip: distinct small expressions print distinct texts") {
  Pool pool;
  TextNames names(pool);
  const std::vector<Dim> universe = small_universe(pool, names);
  std::unordered_set<std::string> texts;
  for (const Dim dim : universe) texts.insert(to_text(dim));
  CHECK(texts.size() == universe.size());
}

TEST_CASE("Round trip: random expressions") {
  const int count = rounds();
  const uint64_t first = first_seed();
  int failures = 0;
  int known = 0;
  for (int round = 0; round < count; ++round) {
    const uint64_t seed = first + static_cast<uint64_t>(round);
    Rng rng(seed);
    Pool pool;
    Names names(pool);
    const Dim dim = random_dim(pool, names, rng, 4);
    if (!dim.known()) continue;
    ++known;
    std::string problem = round_trip_problem(dim, names.texts);
    for (int i = 0; i < 4 && problem.empty(); ++i) {
      Binding binding;
      for (const char* name : kNames) binding.emplace(name, between(rng, 0, 6));
      problem = meaning_problem(pool, dim, binding);
    }
    if (problem.empty()) continue;
    if (++failures <= 10) UNSCOPED_INFO("seed " << seed << ": " << problem);
  }
  CHECK(failures == 0);
  CHECK(known > count / 2);
}

}  // namespace onnx_shapes
