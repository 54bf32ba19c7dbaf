// What follows from equalities and bounds, and what contradicts what.
#include <map>
#include <string>
#include <vector>

#include "expr/text.h"
#include "tests/facts/world.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using testing::split;
using testing::World;

/// Upper-case symbols are inputs, `out...` are declared, other lower-case ones internal, `x...` may
/// be negative. `resolves` lists dims and what they resolve to, `a -> b; c -> d`.
struct Follows {
  std::string facts;
  std::string resolves;
};

void check(const std::vector<Follows>& rows) {
  for (const Follows& row : rows) {
    World world;
    INFO(row.facts);
    CHECK_FALSE(world.add(row.facts).has_value());
    for (const std::string& one : split(row.resolves, ';')) {
      const size_t arrow = one.find("->");
      const Dim from = world.dim(testing::trimmed(one.substr(0, arrow)));
      const Dim to = world.dim(testing::trimmed(one.substr(arrow + 2)));
      INFO(one << ", but resolved to " << to_text(world.constraints.resolve(from)));
      CHECK(world.constraints.resolve(from) == to);
    }
  }
}

TEST_CASE("Equalities are solved for single symbols") {
  check({
      {"u == N", "u -> N; u + 1 -> N + 1; u*M -> N*M"},
      {"u + 1 == K", "u -> K - 1; 2*u -> 2*K - 2"},
      {"K == u + 1", "u -> K - 1"},
      {"2*u == 2*K", "u -> K"},
      {"2*u + 4 == 6*K", "u -> 3*K - 2"},
      {"2*u == K", "u -> K//2; 2*u -> 2*(K//2)"},
      {"3*u + 1 == K", "u -> (K - 1)//3"},
      {"u == 4", "u -> 4; u*u + u -> 20; max(u, 7) -> 7; (u + N)//2 -> N//2 + 2"},
      {"u*N == 4*N", "u -> u"},
      {"u*N == 4*N; N >= 1", "u -> 4"},
      {"N >= 1; u*N == 4*N", "u -> 4"},
      {"N == 3; u*N == 4*N", "u -> 4"},
      {"u*N == 4*N; N == 3", "u -> 4; N -> 3"},
      {"u*N == M*N; N >= 1", "u -> M"},
      {"u*N*M == 6*N*M; N >= 1; M >= 2", "u -> 6"},
      {"N*u == M; N >= 1", "u -> M//N"},
      // Not by what is no input: that may be an internal symbol of before, read again.
      {"out*u == M; out >= 1", "u -> u"},
      {"v*u == M; v >= 1", "u -> u; v -> v"},
      // A dim of an input is not replaced by what nodes give.
      {"2*nameless == u*v", "nameless -> nameless"},
      {"nameless == 2*u", "u -> nameless//2; nameless -> nameless"},
      {"u - N == M - 2", "u -> M + N - 2"},
      {"5 - u == N", "u -> 5 - N"},
      {"u == N*M//2", "u -> N*M//2"},
      {"max(u, N) == M", "u -> u; M -> M"},
      // A quotient that is a number is one in other equalities too, whichever came first.
      {"N >= 1; M >= 1; (N//M)*u == K*M; N//M == 4; K == 4*N", "u -> M*N"},
      {"N >= 1; M >= 1; N//M == 4; (N//M)*u == K*M; K == 4*N", "u -> M*N"},
      {"N//8 == 3; (N//8)*M - N//8 == K - 3", "K -> 3*M"},
      {"N//8 == 3; (N//8)*(N//8)*M == K", "K -> 9*M"},
      {"u == 2*N + 1; u//2 == M", "M -> N"},
      {"2*u == N; u == 3", "N -> 6; u -> 3"},
      {"N*N == M; N*N == K", "M -> N*N; K -> N*N"},
      {"N//2 == 3; 2*v == N", "N -> 6; v -> 3"},
      {"x == N - 5", "x -> N - 5"},
      {"3*x == -6", "x -> -2"},
  });
}

TEST_CASE("Internal symbols go first, then declared ones, and later before earlier") {
  check({
      {"N == M", "M -> N; N -> N"},
      {"M == N", "N -> M"},  // M was made first
      {"N == u", "u -> N; N -> N"},
      {"out == N", "out -> N"},
      {"N == out", "out -> N"},
      {"out == u", "u -> out; out -> out"},
      {"outa == outb", "outb -> outa"},
      {"u == v", "v -> u; u -> u"},
      {"u == N + out", "u -> N + out"},
      {"N == M + out", "out -> N - M"},
      {"P + S == T", "T -> P + S"},
      {"P + S == out", "out -> P + S"},
      {"u + v == N", "v -> N - u"},
  });
}

TEST_CASE("Equalities are closed transitively") {
  check({
      {"u == v; v == N", "u -> N; v -> N"},
      {"v == N; u == v", "u -> N; v -> N"},
      {"u == v; w == z; v == w; z == 7", "u -> 7; v -> 7; w -> 7; z -> 7"},
      {"u + 1 == v; v + 1 == w; w == 10", "u -> 8; v -> 9"},
      {"u == 2*v; v == 2*w; w == N", "u -> 4*N"},
      {"u + v == N; u - v == 0", "2*u -> 2*(N//2)"},
      {"u == N//2; N == 2*M", "u -> M"},
      {"N == M; M == K; K == 3", "N -> 3; M -> 3; K -> 3"},
      {"u == broadcast(N, M); N == M", "u -> N"},
      {"u == max(N, M); M == N", "u -> N"},
  });
}

TEST_CASE("Bounds solve symbols too") {
  check({
      {"u <= 0", "u -> 0"},
      {"u <= N; N <= u", "u -> N"},
      {"u <= N + 1; N < u", "u -> N + 1"},
      {"u >= 3; u <= 3", "u -> 3"},
      {"u == N - 3; u <= 0", "N -> 3"},
      {"N*M == 1", "N -> 1; M -> 1"},
      {"N*M <= 0; N >= 1", "M -> 0"},
      {"u//2 >= 1; u <= 2", "u -> 2"},
      // What the range of u leaves of a quotient is one number.
      {"u >= 2; u <= 3; u == 2*(u//2)", "u -> 2"},
      {"u == 2*(u//2); u >= 2; u <= 3", "u -> 2"},
      {"N >= 4; N <= 7; u == N - 4*(N//4)", "u -> N - 4"},
      {"max(u, v) <= 0", "u -> 0; v -> 0"},
      // Only one operand can be it.
      {"max(x - 1, 0) == 2", "x -> 3"},
      {"max(u, 4) == 4", "u -> u"},
      {"N <= 2; max(u, N) >= 3; u <= 3", "u -> 3"},
      {"min(u, 5) <= 0", "u -> 0"},
      {"min(u, 5) == 3", "u -> 3"},
      {"min(u, 5) == 5; u <= 5", "u -> 5"},
      {"max(u, v) == 2", "u -> u; v -> v"},
  });
}

/// `contradiction` is the false equality after substitution, first and second the facts' numbers.
struct Contradicts {
  std::string facts;
  std::string lhs, rhs;
  int first;  // -1: false by itself
  uint32_t second;
};

TEST_CASE("A contradiction names both sides and both origins") {
  const std::vector<Contradicts> rows{
      {"N == 3; N == 4", "3", "4", 0, 1},
      {"N == N + 1", "N", "N + 1", -1, 0},
      {"N == -1", "N", "-1", -1, 0},
      {"2*N == 2*M + 1", "2*N", "2*M + 1", -1, 0},
      {"3 == 4", "3", "4", -1, 0},
      {"N == M; K == 5; N == M + 1", "N", "N + 1", 0, 2},
      {"K == 5; N == M; M == 7; N == 8", "7", "8", 2, 3},
      {"N == M; M == 7; K == 1; N == 8", "7", "8", 1, 3},
      {"u == v; v == w; w == N; u == N + 2", "N", "N + 2", 2, 3},
      {"u + 1 == K; K == 0", "K", "0", 0, 1},
      {"2*u == K; K == 7", "K", "7", 0, 1},
      {"2*u == K; K == 2*M + 1", "K", "2*M + 1", 0, 1},
      {"M <= 3; M == 5", "M", "5", 0, 1},
      {"M >= 3; M == 2", "M", "2", 0, 1},
      {"N <= M; M <= 3; N == 5", "N", "5", 0, 2},
      {"N == 4; M == 5; N == M", "4", "5", 1, 2},
      {"u == N - 1; K == 2; N == 0", "N", "0", 0, 2},
      {"N*M == 12; N == 0", "N", "0", 0, 1},
      {"N*M == 12; N == 5", "N", "5", 0, 1},
      {"A*B == C*D; A*B == C*D + 1", "A*B", "C*D + 1", 0, 1},
  };
  for (const Contradicts& row : rows) {
    World world;
    INFO(row.facts);
    const auto found = world.add(row.facts);
    REQUIRE(found.has_value());
    CHECK(to_text(found->lhs) == row.lhs);
    CHECK(to_text(found->rhs) == row.rhs);
    CHECK(found->second.node == row.second);
    if (row.first < 0) {
      CHECK(found->first.kind == Origin::Kind::kNone);
    } else {
      REQUIRE(found->first.kind == Origin::Kind::kNode);
      CHECK(found->first.node == static_cast<uint32_t>(row.first));
    }
    // What contradicts is not recorded, and nothing follows from it.
    CHECK(world.constraints.equalities().size() + world.constraints.upper_bounds().size() ==
          row.second);
  }
}

TEST_CASE("A contradiction leaves no trace") {
  World world;
  CHECK_FALSE(world.add("u + v == N; N <= 4").has_value());
  const uint64_t generation = world.constraints.generation();
  CHECK(world.add("u == N + v + 5").has_value());
  CHECK(world.constraints.generation() == generation);
  CHECK(world.ask("v == 0") == Truth::kUnknown);
  CHECK(world.constraints.resolve(world.dim("u")) == world.constraints.resolve(world.dim("N - v")));
}

TEST_CASE("A solution says which equalities it comes from") {
  World world;
  CHECK_FALSE(world.add("u == v; K == 9; v == N + 1; N == 3").has_value());
  std::map<std::string, std::vector<uint32_t>> from;
  std::map<std::string, std::string> values;
  for (const Solution& solution : world.constraints.solutions()) {
    const std::string& name = world.symbols.name(solution.symbol);
    from[name] = solution.from;
    values[name] = to_text(solution.value);
  }
  CHECK(values ==
        std::map<std::string, std::string>{{"K", "9"}, {"N", "3"}, {"u", "4"}, {"v", "4"}});
  CHECK(from["K"] == std::vector<uint32_t>{1});
  CHECK(from["N"] == std::vector<uint32_t>{3});
  CHECK(from["v"] == std::vector<uint32_t>{0, 2, 3});
  CHECK(from["u"] == std::vector<uint32_t>{0, 2, 3});
}

TEST_CASE("Trivial, unknown and duplicate constraints are dropped") {
  World world;
  ConstraintSet& set = world.constraints;
  const Dim n = world.dim("N");
  const Dim m = world.dim("M");
  CHECK_FALSE(set.add_equal(n, n, {}).has_value());
  CHECK_FALSE(set.add_equal(n, Dim(), {}).has_value());
  CHECK_FALSE(set.add_equal(Dim(), Dim(), {}).has_value());
  set.add_at_most(n, n, {});
  set.add_at_most(Dim(), n, {});
  set.add_at_most(world.dim("3"), world.dim("4"), {});
  CHECK(set.equalities().empty());
  CHECK(set.upper_bounds().empty());
  CHECK(set.generation() == 0);
  CHECK_FALSE(set.add_equal(n, m, {}).has_value());
  CHECK_FALSE(set.add_equal(m, n, {}).has_value());
  set.add_at_most(n, m + 1, {});
  set.add_at_most(n, m + 1, {});
  CHECK(set.equalities().size() == 1);
  CHECK(set.upper_bounds().size() == 1);
  CHECK(set.has_equal(n, m));
  CHECK(set.has_equal(m, n));
  CHECK_FALSE(set.has_equal(n, n + 1));
  CHECK_FALSE(set.has_equal(n, Dim()));
  CHECK(set.has_at_most(n, m + 1));
  CHECK_FALSE(set.has_at_most(m + 1, n));
  set.clear();
  CHECK(set.equalities().empty());
  CHECK(set.upper_bounds().empty());
  CHECK_FALSE(set.has_equal(n, m));
  CHECK(set.resolve(m) == m);
}

TEST_CASE("An equality of every run outranks the same one under an anchor") {
  World world;
  ConstraintSet& set = world.constraints;
  CHECK_FALSE(world.add("anchor N == M").has_value());
  CHECK(set.equalities()[0].holds == Holds::kUnderAnchor);
  const uint64_t mark = set.mark();
  CHECK_FALSE(world.add("M == N").has_value());
  REQUIRE(set.equalities().size() == 1);
  CHECK(set.equalities()[0].holds == Holds::kEveryRun);
  CHECK(set.equalities()[0].origin.node == 1);
  CHECK_FALSE(world.add("anchor M == N").has_value());
  CHECK(set.equalities()[0].holds == Holds::kEveryRun);
  set.roll_back(mark);
  CHECK(set.equalities()[0].holds == Holds::kUnderAnchor);
  CHECK(set.equalities()[0].origin.node == 0);
}

TEST_CASE("Marks nest") {
  World world;
  ConstraintSet& set = world.constraints;
  CHECK_FALSE(world.add("u == N").has_value());
  const uint64_t outer = set.mark();
  CHECK_FALSE(world.add("N == 2*v; v <= 9").has_value());
  const uint64_t inner = set.mark();
  CHECK_FALSE(world.add("v == 3").has_value());
  CHECK(set.resolve(world.dim("u")) == world.dim("6"));
  set.roll_back(inner);
  CHECK(set.resolve(world.dim("v")) == world.dim("N//2"));
  CHECK(world.ask("N <= 18") == Truth::kTrue);
  CHECK_FALSE(world.add("v == 4").has_value());
  CHECK(set.resolve(world.dim("u")) == world.dim("8"));
  set.roll_back(outer);
  CHECK(set.resolve(world.dim("u")) == world.dim("N"));
  CHECK(set.resolve(world.dim("v")) == world.dim("v"));
  CHECK(world.ask("N <= 18") == Truth::kUnknown);
  CHECK(world.ask("u == N") == Truth::kTrue);
  CHECK(set.equalities().size() == 1);
}

TEST_CASE("A long chain of equalities costs no more per link at its end") {
  Pool pool;
  SymbolTable symbols(pool);
  ConstraintSet set(symbols);
  constexpr int kLinks = 10'000;
  std::vector<Dim> chain;
  for (int i = 0; i <= kLinks; ++i) {
    chain.push_back(symbols.fresh("u", Interval::at_least(0), {}));
  }
  // Each link is solved for its later symbol, or for the only one left.
  for (int i = 0; i < kLinks; ++i) {
    REQUIRE_FALSE(
        set.add_equal(chain[static_cast<size_t>(i)] + 1, chain[static_cast<size_t>(i) + 1], {}));
  }
  CHECK(set.resolve(chain.back()) == chain.front() + kLinks);
  CHECK(set.solutions().size() == kLinks);
  const auto found = set.add_equal(chain.front(), chain.back(), {});
  CHECK(found.has_value());
}

}  // namespace
}  // namespace onnx_shapes
