// Sums of products that come apart.
#include "facts/factors.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "expr/text.h"
#include "tests/facts/world.h"
#include "tests/support/catch.h"

namespace onnx_shapes {
namespace {

using testing::World;

/// Of the two signs a factor may have, one.
std::string text_of(Dim factor) { return std::min(to_text(factor), to_text(-factor)); }

std::vector<std::string> texts(World& world, const Linear& form) {
  std::vector<std::string> result;
  for (const Linear& factor : factors(world.pool, form)) {
    result.push_back(text_of(to_dim(world.pool, factor)));
  }
  std::sort(result.begin(), result.end());
  return result;
}

TEST_CASE("What a product is made of is found") {
  struct Row {
    std::string form;
    std::vector<std::string> factors;
  };
  const std::vector<Row> rows = {
      {"6*N", {"N"}},
      {"N*M", {"M", "N"}},
      {"N*N*M", {"M", "N", "N"}},
      {"2*N*K + 4*N*M", {"K + 2*M", "N"}},
      {"(N - 1)*(M - 2)", {"M - 2", "N - 1"}},
      {"3*(2*N - 1)*(M + K)", {"2*N - 1", "K + M"}},
      {"(N - A)*(M - B)*K", {"K", "M - B", "N - A"}},
      {"(N - A)*(M - B)*(K - C)", {"K - C", "M - B", "N - A"}},
      {"(N*M - A)*(K - B)", {"K - B", "M*N - A"}},
      {"(H//4 - 3*H//16)*(W//4 - 3*W//16)", {"H//4 - 3*H//16", "W//4 - 3*W//16"}},
      {"(max(A, B) - A)*(N + 1)", {"N + 1", "max(A, B) - A"}},
      // Nothing to find.
      {"N + M", {"M + N"}},
      {"N*M + 1", {"M*N + 1"}},
      {"N*M + N + M", {"M*N + M + N"}},
      {"N*N + M*M", {"M*M + N*N"}},
  };
  for (const Row& row : rows) {
    World world;
    INFO(row.form);
    std::vector<std::string> expected;
    for (const std::string& factor : row.factors) {
      expected.push_back(text_of(world.dim(factor)));
    }
    std::sort(expected.begin(), expected.end());
    CHECK(texts(world, *linear(world.dim(row.form))) == expected);
  }
}

TEST_CASE("The product of the factors is the form, up to a positive number") {
  std::mt19937 random(7);
  const auto below = [&](int n) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(n));
  };
  const std::vector<std::string> names = {"A", "B", "C", "N", "M", "A//3", "max(B, C)"};
  size_t split = 0;
  for (int trial = 0; trial < 500; ++trial) {
    World world;
    Dim form = world.pool.constant(below(5) - 2);
    const int64_t parts = 1 + below(3);
    for (int64_t i = 0; i < parts; ++i) {
      Dim part = world.pool.constant(below(5) - 2);
      for (int64_t j = 1 + below(2); j > 0; --j) {
        part = part + world.dim(names[static_cast<size_t>(below(7))]) * (below(7) - 3);
      }
      form = i == 0 ? part : form * part;
    }
    const std::vector<Linear> found = factors(world.pool, *linear(form));
    if (found.size() > 1) ++split;
    Dim product = world.pool.constant(1);
    for (const Linear& factor : found) product = product * to_dim(world.pool, factor);
    INFO(to_text(form) << " and " << to_text(product));
    const Linear left = *linear(form);
    const Linear right = *linear(product);
    const int64_t scale = std::gcd(content(left), left.constant);
    CHECK(combine(left, 1, right, -std::max<int64_t>(scale, 1)) == Linear{});
  }
  CHECK(split > 250);
}

}  // namespace
}  // namespace onnx_shapes
