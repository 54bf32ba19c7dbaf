// A row that does not say what inference says must fail.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

TEST_CASE("rows that hold") {
  RULE_CASES({"node", "Add", "f32[N,1] f32[3]", "f32[N,3]"},
             {"attributes as text", "Cast <to = 7>", "f32[N]", "i64[N]"},
             {"body", "{ s = Shape(x0) y0 = ConstantOfShape(s) }", "f32[N,3]", "f32[N,3]"},
             {"input that is left out", "Clip", "f32[N] - f32", "f32[N]"},
             {"no operator of that name", "NoSuchOperator", "f32[N]", "?",
              warning("SHP401 NoSuchOperator")});
}

TEST_CASE("rows that do not hold") {
  const RuleCase row = GENERATE(values<RuleCase>(
      {{"type", "Add", "f32[N] f32[N]", "f64[N]"},
       {"dim", "Add", "f32[N] f32[N]", "f32[N + 1]"},
       {"rank", "Add", "f32[N] f32[N]", "f32[N,1]"},
       {"rank is known", "Add", "f32[N] f32[N]", "f32?"},
       {"dim is known", "Add", "f32[N] f32[N]", "f32[?]"},
       {"contents", "Shape", "f32[N,3]", "i64[2]{N,4}"},
       {"contents are known", "Shape", "f32[N,3]", "i64[2]{none}"},
       {"element is known", "Shape", "f32[N,3]", "i64[2]{?,3}"},
       {"fraction", "Mul", "f32[1]{N} f32{1/2}", "f32[1]{N/4}"},
       {"kind", "Identity", "seq(f32[N])", "opt(f32[N])"},
       {"element of a sequence", "Identity", "seq(f32[N])", "seq(f32[3])"},
       {"length of a sequence", "Identity", "seq(f32[N];3)", "seq(f32[N];4)"},
       {"error that is missing", "Add", "f32[N] f32[N]", error("SHP105")},
       {"error of another code", "Add", "f32[2] f32[3]", error("SHP103 C2")},
       {"error of another label", "Add", "f32[2] f32[3]", error("SHP105 C1")},
       {"error that is not said", "Add", "f32[2] f32[3]", "f32[?]"},
       {"warning that is not said", "NoSuchOperator", "f32[N]", "?"},
       {"fact that does not follow", "Add", "f32[N] f32[M]", "f32[broadcast(N, M)]",
        facts("N == M")},
       {"fact that holds anyway", "Add", "f32[N] f32[N]", "f32[N]", facts("N + 1 == 1 + N")},
       {"bound that does not follow", "NonZero", "f32[N]", "i64[1,?]",
        bounds("NonZero_y0_nnz <= 7")},
       {"name that nothing has", "Add", "f32[N] f32[N]", "f32[Q]"},
       {"input that cannot be read", "Add", "f99[N] f32[N]", "f32[N]"},
       {"node that cannot be read", "Cast to=", "f32[N]", "f32[N]"}}));
  INFO(row.name);
  CHECK(check_rule_case(row) != "");
}

}  // namespace
}  // namespace onnx_shapes::test
