#include "infer/infer.h"
#include "rules/rules.h"
#include "tests/support/catch.h"
#include "tests/support/text_model.h"

namespace onnx_shapes {
namespace {

TEST_CASE("The row of the opset counts") {
  const RuleTable& rules = default_rules();
  // Dropout got two more inputs with opset 12; Clip's bounds became inputs with opset 11.
  CHECK(rules.arity("", "Dropout", 10)->most_inputs == 1);
  CHECK(rules.arity("", "Dropout", 12)->most_inputs == 3);
  CHECK(rules.arity("", "Clip", 6)->most_inputs == 1);
  CHECK(rules.arity("", "Clip", 11)->most_inputs == 3);
  CHECK(rules.arity("", "Concat", 13)->most_inputs == Arity::kAny);
  CHECK(rules.arity("", "Hardmax", 0) == nullptr);
  CHECK(rules.arity("custom", "Concat", 13) == nullptr);
}

size_t count(const std::string& nodes, Code code) {
  test::LoadedModel model(
      test::parse_model(test::with_header("g (float[N] x) => (float[N] y) {" + nodes + "}"))
          .SerializeAsString());
  Findings findings;
  (void)infer(*model, default_rules(), nullptr, {}, findings);
  size_t found = 0;
  for (const Finding& finding : findings.all()) found += finding.code == code ? 1 : 0;
  return found;
}

TEST_CASE("Too few and too many inputs and outputs are errors") {
  CHECK(count("y = Conv(x)", Code::kInputCount) == 1);
  CHECK(count("y = Relu(x, x)", Code::kInputCount) == 1);
  CHECK(count("y = Sum(x, x, x, x)", Code::kInputCount) == 0);
  CHECK(count("y, z = Relu(x)", Code::kOutputCount) == 1);
  CHECK(count("y = Dropout(x)", Code::kOutputCount) == 0);
}

}  // namespace
}  // namespace onnx_shapes
