#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Reduce operators with axes as an input") {
  const std::string op = GENERATE(as<std::string>(), "ReduceL1", "ReduceL2", "ReduceLogSum",
                                  "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                                  "ReduceProd", "ReduceSum", "ReduceSumSquare");
  RULE_CASES(
      {"all axes", op, "f32[N,3]", "f32[1,1]"},
      {"all axes go", op + " keepdims=0", "f32[N,3]", "f32"},
      {"one axis", op, "f32[N,C,H] i64[1]{1}", "f32[N,1,H]"},
      {"axes go", op + " keepdims=0", "f32[N,C,H] i64[2]{0,-1}", "f32[C]"},
      {"an axis twice", op + " keepdims=0", "f32[N,C,H] i64[2]{0,-3}", "f32[C,H]"},
      {"empty axes", op + " keepdims=0", "f32[N,3] i64[0]{}", "f32"},
      {"empty axes, no operation", op + " noop_with_empty_axes=1 keepdims=0", "f32[N,3] i64[0]{}",
       "f32[N,3]"},
      {"no axes, no operation", op + " noop_with_empty_axes=1", "f32[N,3]", "f32[N,3]"},
      {"scalar", op, "f32", "f32"},
      {"unknown axes keep the rank", op, "f32[N,1] i64[K]", "f32[?,1]"},
      {"an unknown axis goes", op + " keepdims=0", "f32[N,C,H] i64[1]", "f32[?,?]"},
      {"unknown axes go, perhaps one twice", op + " keepdims=0", "f32[N,C,H] i64[2]", "f32?"},
      {"unknown rank", op, "f32? i64[1]{0}", "f32?"},
      {"bad C1 type", op, "str[N]", error("SHP102 C1")},
      {"bad C2 axis", op, "f32[N,3] i64[1]{2}", error("SHP106 C2")},
      {"bad C2 axis below", op, "f32[N,3] i64[1]{-3}", error("SHP106 C2")},
      {"bad C3 type", op, "f32[N,3] i32[1]{0}", error("SHP102 C3")},
      {"bad C3 rank", op, "f32[N,3] i64{0}", error("SHP103 C3")});
}

TEST_CASE("Reduce operators with axes as an attribute") {
  const std::string op = GENERATE(as<std::string>(), "ReduceL1", "ReduceL2", "ReduceLogSum",
                                  "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                                  "ReduceProd", "ReduceSum", "ReduceSumSquare");
  RULE_CASES({"all axes", op, "f32[N,3]", "f32[1,1]", opset(11)},
             {"one axis", op + " axes=[1]", "f32[N,C,H]", "f32[N,1,H]", opset(11)},
             {"axes go", op + " axes=[0,-1] keepdims=0", "f32[N,C,H]", "f32[C]", opset(11)},
             {"opset 1", op + " axes=[0]", "f32[N,C]", "f32[1,C]", opset(1)},
             {"bad C1 type", op, "str[N]", error("SHP102 C1"), opset(11)},
             {"bad C2 axis", op + " axes=[2]", "f32[N,3]", error("SHP106 C2"), opset(11)});
}

TEST_CASE("ReduceSum takes axes as an input from opset 13 on") {
  RULE_CASES({"input", "ReduceSum", "f32[N,C] i64[1]{0}", "f32[1,C]", opset(13)},
             {"attribute", "ReduceMax axes=[0]", "f32[N,C]", "f32[1,C]", opset(13)});
}

TEST_CASE("reductions of known elements") {
  RULE_CASES(
      {"ReduceProd", "ReduceProd keepdims=0", "i64[3]{N,3,M}", "i64{3*N*M}"},
      {"ReduceProd keeps the axis", "ReduceProd", "i64[3]{N,3,M} i64[1]{0}", "i64[1]{3*N*M}"},
      {"ReduceSum by axis", "ReduceSum keepdims=0", "i64[2,2]{N,1,M,2} i64[1]{0}",
       "i64[2]{N + M,3}"},
      {"ReduceSum by the other axis", "ReduceSum keepdims=0", "i64[2,2]{N,1,M,2} i64[1]{1}",
       "i64[2]{N + 1,M + 2}"},
      {"ReduceMax", "ReduceMax keepdims=0", "i64[3]{N,3,-1}", "i64{max(N, 3)}"},
      {"ReduceMin", "ReduceMin keepdims=0", "i64[3]{N,3,4}", "i64{min(N, 3)}"},
      {"an unknown element", "ReduceSum keepdims=0", "f32[2]{1,?}", "f32{none}"},
      {"nothing to reduce", "ReduceProd keepdims=0", "i64[0]{}", "i64{none}"},
      {"no operation", "ReduceSum noop_with_empty_axes=1", "i64[2]{N,3}", "i64[2]{N,3}"});
}

TEST_CASE("ArgMax and ArgMin") {
  const std::string op = GENERATE(as<std::string>(), "ArgMax", "ArgMin");
  RULE_CASES({"first axis", op, "f32[N,3]", "i64[1,3]"},
             {"axis goes", op + " axis=-1 keepdims=0", "f32[N,3]", "i64[N]"},
             {"unknown rank", op, "f32?", "i64?"},
             {"bad C1 type", op, "bool[N]", error("SHP102 C1")},
             {"bad C2 axis", op + " axis=2", "f32[N,3]", error("SHP106 C2")},
             {"bad C2 scalar", op, "f32", error("SHP106 C2")});
}

TEST_CASE("Det") {
  RULE_CASES({"a matrix", "Det", "f32[3,3]", "f32"},
             {"C3 many matrices", "Det", "f64[N,M,K,4]", "f64[N,M]", facts("K == 4")},
             {"unknown rank", "Det", "f32?", "f32?"},
             {"bad C1 type", "Det", "i32[3,3]", error("SHP102 C1")},
             {"bad C2 rank", "Det", "f32[3]", error("SHP103 C2")},
             {"bad C3 dims", "Det", "f32[2,3]", error("SHP105 C3")});
}

TEST_CASE("CumSum and CumProd") {
  const std::string op = GENERATE(as<std::string>(), "CumSum", "CumProd");
  RULE_CASES({"shape", op, "f32[N,3] i64", "f32[N,3]"},
             {"axis in a vector", op, "f32[N,3] i32[1]{1}", "f32[N,3]"},
             {"unknown rank", op, "f32? i64{1}", "f32?"},
             {"bad C1 type", op, "bool[N] i64{0}", error("SHP102 C1")},
             {"bad C2 type of axis", op, "f32[N] f32{0}", error("SHP102 C2")},
             {"bad C3 rank of axis", op, "f32[N] i64[1,1]{0}", error("SHP103 C3")},
             {"bad C4 axis", op, "f32[N] i64{1}", error("SHP107 C4")});
}

TEST_CASE("running sums and products of known elements") {
  RULE_CASES({"sums", "CumSum", "i64[3]{N,2,3} i64{0}", "i64[3]{N,N + 2,N + 5}"},
             {"exclusive", "CumSum exclusive=1", "i64[3]{N,2,3} i64{0}", "i64[3]{0,N,N + 2}"},
             {"reverse", "CumSum reverse=1", "i64[3]{N,2,3} i64{0}", "i64[3]{N + 5,5,3}"},
             {"exclusive and reverse", "CumSum exclusive=1 reverse=1", "i64[3]{1,2,3} i64{0}",
              "i64[3]{5,3,0}"},
             {"by the first axis", "CumSum", "i64[2,2]{1,2,3,4} i64{0}", "i64[2,2]{1,2,4,6}"},
             {"by the last axis", "CumSum", "i64[2,2]{1,2,3,4} i64{-1}", "i64[2,2]{1,3,3,7}"},
             {"products", "CumProd", "i64[3]{N,2,3} i64{0}", "i64[3]{N,2*N,6*N}"},
             {"exclusive products", "CumProd exclusive=1", "i64[3]{1,2,3} i64{0}", "i64[3]{1,1,2}"},
             {"reverse products", "CumProd reverse=1", "i64[3]{1,2,3} i64{0}", "i64[3]{6,6,3}"},
             {"after an unknown element", "CumSum", "f32[3]{1,?,2} i64{0}", "f32[3]{1,?,?}"});
}

}  // namespace
}  // namespace onnx_shapes
