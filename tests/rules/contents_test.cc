#include "rules/contents.h"

#include "tests/support/inferred.h"

namespace onnx_shapes {
namespace {

using namespace test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Indices come in row-major order") {
  const std::vector<int64_t> dims = {2, 3};
  IndexWalk walk(dims);
  for (size_t position = 0; position < 6; ++position, walk.next()) {
    CHECK(row_major(dims, walk.index()) == position);
    CHECK(walk.index() ==
          Index{static_cast<int64_t>(position / 3), static_cast<int64_t>(position % 3)});
  }
}

TEST_CASE("A scalar has one index") {
  const IndexWalk walk(std::span<const int64_t>{});
  CHECK(walk.index().empty());
  CHECK(row_major({}, {}) == 0);
}

TEST_CASE("An index counts from the front or from the back") {
  Pool pool;
  const auto at = [&](int64_t index, int64_t length) {
    return resolved_index({.numerator = pool.constant(index), .denominator = 1}, length);
  };
  CHECK(at(0, 3) == 0);
  CHECK(at(2, 3) == 2);
  CHECK(at(-1, 3) == 2);
  CHECK(at(-3, 3) == 0);
  CHECK(at(3, 3) == std::nullopt);
  CHECK(at(-4, 3) == std::nullopt);
  CHECK(at(0, 0) == std::nullopt);
  CHECK(resolved_index({.numerator = pool.constant(1), .denominator = 2}, 3) == std::nullopt);
  CHECK(resolved_index(Scalar(), 3) == std::nullopt);
}

TEST_CASE("A rank is a number that is not absurd") {
  Pool pool;
  REQUIRE(shape_of_rank(pool.constant(3)).has_value());
  CHECK(shape_of_rank(pool.constant(3))->size() == 3);
  CHECK(shape_of_rank(pool.constant(0))->empty());
  CHECK(!shape_of_rank(Dim()).has_value());
  CHECK(!shape_of_rank(pool.constant(-1)).has_value());
  CHECK(!shape_of_rank(pool.constant(INT64_MAX)).has_value());
}

std::string squeezed(const std::string& axes) {
  return "g (float[1, N, 1] x) => (y) { a = Constant<value_ints = [" + axes +
         "]>() y = Squeeze(x, a) }";
}

TEST_CASE("Axes are within the rank and each once") {
  CHECK(inferred(squeezed("0, 2")) == "float[N]");
  CHECK(inferred(squeezed("-1, 0")) == "float[N]");
  CHECK_THAT(reported(squeezed("3")), ContainsSubstring("SHP10"));
  CHECK_THAT(reported(squeezed("-4")), ContainsSubstring("SHP10"));
}

}  // namespace
}  // namespace onnx_shapes
