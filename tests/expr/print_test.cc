// What printing does not depend on, and its limits.
#include <array>
#include <string>
#include <vector>

#include "expr/text.h"
#include "tests/expr/text_names.h"
#include "tests/support/catch.h"

namespace onnx_shapes {

TEST_CASE("Print: unknown") { CHECK(to_text(Dim()) == "?"); }

TEST_CASE("Print: the order of creation does not matter") {
  const std::array<const char*, 14> texts = {
      "b*a + c + 1",
      "max(c, b, a*2) - 3",
      "min(c*a, b)%4",
      "broadcast(c + b, a)",
      "(c + b*2 + a)//3*a",
      "c%2 + b%2 + a%2",
      "(a + 1)//2 - 1 + (b + 1)//2*c",
      "(b - 1)//2*((a - 1)//2)",
      "max(b - a, 0)*c",
      "c//(a + b)",
      "(a*b + c)%(b + 1)",
      "ceiling(c/(b*a))",
      "max(min(a, b), c)//5 + min(max(c, b), a)",
      "(c*b*a)%(2*b)",
  };
  const std::array<std::array<const char*, 3>, 3> orders = {{
      {"a", "b", "c"},
      {"c", "b", "a"},
      {"b", "c", "a"},
  }};
  std::vector<std::string> first;
  for (const auto& order : orders) {
    Pool pool;
    TextNames names(pool);
    for (const char* name : order) (void)names(name);
    // The last order also meets the texts from the last to the first.
    std::vector<std::string> printed(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) {
      const size_t at = &order == &orders.back() ? texts.size() - 1 - i : i;
      const auto dim = names.read_declared(texts[at]);
      REQUIRE(dim.ok());
      printed[at] = to_text(*dim);
    }
    if (first.empty()) first = printed;
    CHECK(printed == first);
  }
}

TEST_CASE("Print: a text that is the name of a symbol gets parentheses") {
  Pool pool;
  TextNames names(pool);
  const Dim n = names("N");
  CHECK(to_text(n + 1) == "N + 1");
  CHECK(to_text(pool.constant(3)) == "3");
  (void)names("N + 1");
  (void)names("3");
  CHECK(to_text(n + 1) == "(N + 1)");
  CHECK(to_text(pool.constant(3)) == "(3)");
  CHECK(to_text(names("N + 1")) == "N + 1");
  (void)names("(N + 1)");
  CHECK(to_text(n + 1) == "((N + 1))");
  CHECK(*names.read_declared("((N + 1))") == n + 1);
}

TEST_CASE("Print: the names of functions are names") {
  Pool pool;
  TextNames names(pool);
  const Dim max_name = names("max");
  const Dim dim = max(max_name * 2, names("min") + 1) * names("broadcast");
  const auto again = names.read_declared(to_text(dim));
  REQUIRE(again.ok());
  CHECK(*again == dim);
}

TEST_CASE("Print: a symbol without a name") {
  Pool pool;
  TextNames names(pool);
  const Dim nameless = names("");
  CHECK(to_text(nameless) == "''");
  CHECK(*names.read_declared("''") == nameless);
  CHECK(to_text(nameless * 2) == "2*''");
}

TEST_CASE("Print: a text that would be too long is empty") {
  Pool pool;
  TextNames names(pool);
  const Dim dim = names(std::string(kMaxTextLength / 2, 'n'));
  CHECK(to_text(dim + 1).size() == kMaxTextLength / 2 + 4);
  CHECK(to_text(dim * dim).empty());
  CHECK(to_text(max(dim, names("m") * dim + 1) + dim).empty());
}

TEST_CASE("Print: shared parts do not multiply the work") {
  // Each level mentions the one below twice; written out, the last has a million parts.
  Pool pool;
  TextNames names(pool);
  Dim dim = names("a");
  for (int level = 0; level < 20; ++level) {
    const Dim next = floor_div(dim + names("b"), dim * 2 + 1);
    REQUIRE(next.known());
    dim = next;
  }
  CHECK(to_text(dim).size() <= kMaxTextLength);
}

}  // namespace onnx_shapes
