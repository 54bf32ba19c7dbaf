// Chains of divisions that round towards 0 come out as C++ computes them.
#include <fmt/format.h>

#include <random>

#include "tests/rules/rule_cases.h"
#include "tests/support/inferred.h"

namespace onnx_shapes::test {
namespace {

/// One step of a chain: (n + offset) / divisor.
struct Step {
  int64_t offset, divisor;
};

/// The element of y = ConstantOfShape(chain + 1000), so that it is a size whatever the chain gives.
Dim chain_of(const InferredModel& model) {
  const std::optional<Fact>& fact = model.inference.facts[model.loaded.value("y")];
  REQUIRE(fact.has_value());
  REQUIRE(fact->shape.has_value());
  return fact->shape->front();
}

std::string model_of(const std::vector<Step>& steps, int64_t start) {
  std::string text = fmt::format(
      "g (float[N] x) => (y) {{ n0 = Shape(x) d0 = Constant<value_ints = [{}]>() v0 = Div(n0, d0) ",
      start);
  for (size_t i = 0; i < steps.size(); ++i) {
    text += fmt::format(
        "o{0} = Constant<value_ints = [{1}]>() a{0} = Add(v{3}, o{0}) d{0} = Constant<value_ints = "
        "[{2}]>() v{0} = Div(a{0}, d{0}) ",
        i + 1, steps[i].offset, steps[i].divisor, i);
  }
  return text + fmt::format(
                    "k = Constant<value_ints = [1000]>() s = Add(v{}, k) y = ConstantOfShape(s) }}",
                    steps.size());
}

TEST_CASE("Chains of divisions are those of C++") {
  std::mt19937 random(11);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  int known = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Step> steps;
    for (int64_t i = 1 + below(3); i > 0; --i) steps.push_back({below(12) - 9, 2 + below(3)});
    const int64_t start = 1 + below(4);
    const InferredModel model(model_of(steps, start));
    const Dim dim = chain_of(model);
    INFO(model_of(steps, start) << " gives " << to_text(dim));
    bool exact = true;
    for (int64_t n = 0; n < 120 && exact; ++n) {
      int64_t expected = n / start;
      for (const Step& step : steps) expected = (expected + step.offset) / step.divisor;
      const auto number = evaluate(dim, [&](SymbolId id) -> std::optional<int64_t> {
        return model.inference.symbols->name(id) == "N" ? std::optional(n) : std::nullopt;
      });
      exact = number.has_value();
      if (exact) CHECK(*number == expected + 1000);
    }
    if (exact) ++known;
  }
  CHECK(known > 150);
}

TEST_CASE("Truncated quotients stay short") {
  RULE_CASES(
      {"of a number", "Div", "i64[1]{v_a} i64{3}", "i64[1]{max(min((v_a + 2)//3, 0), v_a//3)}"},
      // The strides of a speech model: 80, 2 and 2 for windows of 400.
      {"a chain", "{ a = Sub(x0, x1) b = Div(a, x2) c = Sub(b, x3) y0 = Div(c, x2) }",
       "i64{N//80} i64{3} i64{2} i64{1}", "i64{max(min((N + 160)//320, 1), (N - 80)//320) - 1}",
       given("N >= 80")});
}

}  // namespace
}  // namespace onnx_shapes::test
