// The smallest numbers that break a claim.
#include <string>
#include <vector>

#include "expr/text.h"
#include "tests/facts/world.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using testing::relation;
using testing::World;

struct Row {
  std::string facts;
  std::string claim;
  std::string smallest;  // "none" if the claim cannot be broken
};

std::string text(const World& world, const Binding& binding) {
  std::string result;
  for (const auto& [symbol, number] : binding) {
    if (!result.empty()) result += " ";
    result += world.symbols.name(symbol) + "=" + std::to_string(number);
  }
  return result;
}

TEST_CASE("The smallest counterexample is found") {
  const std::vector<Row> rows{
      {"", "N == M", "N=0 M=1"},
      {"", "N == 0", "N=1"},
      {"", "N + M == 2*N", "N=0 M=1"},
      {"", "N*M == N + M", "N=0 M=1"},
      {"", "N <= 4095", "N=4096"},
      {"", "3 <= N", "N=0"},
      {"", "N//2*2 == N", "N=1"},
      {"", "(N + 1)//2 == N//2", "N=1"},
      {"", "N == N", "none"},
      {"", "N//2 + (N + 1)//2 == N", "none"},
      {"N >= 1; M >= 2", "N*M == N + M", "N=1 M=2"},
      {"N >= 2; M >= 2", "N*M == N + M", "N=2 M=3"},
      {"N == M", "N == M", "none"},
      {"N == M + 1", "N*N == M*M", "N=1 M=0"},
      {"u <= N; N >= 3", "u == N", "u=0 N=3"},
      {"2*u == K; K >= 1", "K == 2", "u=2 K=4"},
      {"N <= M; M <= K", "N == K", "N=0 M=0 K=1"},
      {"", "x <= 0", "x=1"},
      {"", "0 <= x", "x=-1"},
      {"", "max(N, M) == N", "N=0 M=1"},
      {"", "broadcast(N, M) == N", "N=1 M=0"},
      {"S + P <= 4095", "S + P <= 4000", "S=0 P=4001"},
      {"N == 5", "N == 6", "N=5"},
      {"C == 3; D == 7; M >= 2", "N == M", "N=0 M=2"},
      {"", "N == 1000000", "N=0"},
      {"N >= 1000000", "N == 1000000", "N=1000001"},
  };
  for (const Row& row : rows) {
    World world;
    INFO(row.facts << " |- " << row.claim);
    // Symbols in the order in which the expectation lists them.
    for (const std::string& one : testing::split(row.smallest, ' ')) {
      const size_t equals = one.find('=');
      if (equals != std::string::npos) static_cast<void>(world.dim(one.substr(0, equals)));
    }
    REQUIRE_FALSE(world.add(row.facts).has_value());
    const testing::Relation said = relation(row.claim);
    const auto kind = said.op == "==" ? Claim::Kind::kEqual : Claim::Kind::kAtMost;
    const Claim claim{kind, world.dim(said.lhs), world.dim(said.rhs)};
    const auto found = find_counterexample(world.symbols, world.constraints, claim);
    CHECK((found ? text(world, *found) : "none") == row.smallest);
  }
}

TEST_CASE("Symbols can be kept from being 0") {
  World world;
  const Dim n = world.dim("N");
  const Dim m = world.dim("M");
  const auto smallest = [&](Dim a, Dim b) {
    const auto found = find_counterexample(world.symbols, world.constraints,
                                           {Claim::Kind::kEqual, a, b}, {*as_symbol(n)});
    return found ? text(world, *found) : "none";
  };
  CHECK(smallest(n, m) == "N=1 M=0");
  // N and max(N, 1) differ for N=0 alone.
  CHECK(smallest(n, max(n, 1)) == "none");
  // A solved symbol, too: N == 2*M is 0 for M=0.
  REQUIRE_FALSE(world.add("N == 2*M").has_value());
  CHECK(smallest(m, world.dim("2")) == "N=2 M=1");
}

TEST_CASE("A claim about an unknown dim has no counterexample") {
  World world;
  CHECK_FALSE(find_counterexample(world.symbols, world.constraints,
                                  {Claim::Kind::kEqual, world.dim("N"), Dim()}));
}

}  // namespace
}  // namespace onnx_shapes
