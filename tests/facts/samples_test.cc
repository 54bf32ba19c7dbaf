// Sample runs satisfy what is known, whatever was repaired on the way.
#include "facts/samples.h"

#include "tests/facts/world.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using testing::World;

/// Facts that solve no symbol, a dim, and all numbers that it can have.
struct Row {
  std::string facts;
  std::string dim;
  Interval possible;
};

TEST_CASE("Samples satisfy the facts") {
  const std::vector<Row> rows = {
      {"N*M == 12", "N", {1, 12}},
      {"N*M == 12", "N + M", {7, 13}},
      {"N//3 == M//2; N <= 20", "M", {0, 13}},
      {"broadcast(N, M) == 7", "N", {1, 7}},
      {"max(N, M) <= 9; N + M >= 15", "min(N, M)", {6, 9}},
      {"3*N - 2*M <= 4; M <= 10", "N", {0, 8}},
  };
  for (const Row& row : rows) {
    World world;
    INFO(row.facts << ": " << row.dim);
    REQUIRE_FALSE(world.add(row.facts).has_value());
    Samples samples(world.pool, world.constraints.knowledge());
    const std::optional<Interval> seen = samples.range(world.dim(row.dim));
    REQUIRE(seen.has_value());
    CHECK(seen->lo >= row.possible.lo);
    CHECK(seen->hi <= row.possible.hi);
  }
}

TEST_CASE("A run that was found is kept, and is one that the facts allow") {
  World world;
  REQUIRE_FALSE(world.add("N*M == 36; K <= N").has_value());
  Samples samples(world.pool, world.constraints.knowledge());
  const Dim n = world.dim("N");
  CHECK(samples.find(n, world.pool.constant(6), Samples::Wanted::kEqual));
  CHECK(samples.compare(n, world.pool.constant(6)).equal);
  CHECK(samples.find(n, world.dim("4"), Samples::Wanted::kAtMost));
  CHECK_FALSE(samples.find(n, world.pool.constant(5), Samples::Wanted::kEqual));
  CHECK_FALSE(samples.find(n, world.dim("K"), Samples::Wanted::kLess));
}

TEST_CASE("What was repaired for facts that are gone is forgotten with them") {
  World world;
  REQUIRE_FALSE(world.add("N*M >= 1").has_value());
  Samples samples(world.pool, world.constraints.knowledge());
  const Dim product = world.dim("N*M");
  const std::optional<Interval> before = samples.range(product);
  const uint64_t mark = world.constraints.mark();
  REQUIRE_FALSE(world.add("N*M + K == 77").has_value());
  CHECK(samples.range(product).has_value());
  world.constraints.roll_back(mark);
  CHECK(samples.range(product) == before);
}

}  // namespace
}  // namespace onnx_shapes
