#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Sum, Mean, Max and Min broadcast") {
  const std::string op = GENERATE(as<std::string>(), "Sum", "Mean", "Max", "Min");
  RULE_CASES({"one input", op, "f32[N,3]", "f32[N,3]"},
             {"C2 ranks", op, "f32[3] f32[N,1] f32[K,1,1]", "f32[K,N,3]"},
             {"C2 neither is 1", op, "f32[N] f32[M]", "f32[N]", facts("N == M"),
              given("N >= 2 && M >= 2")},
             {"C2 either may be 1", op, "f32[N] f32[M]", "f32[broadcast(N, M)]"},
             {"C2 zero is kept", op, "f32[0] f32[1]", "f32[0]"},
             {"unknown rank", op, "f32[N] f32?", "f32?"},
             {"opset 1 has one shape", op, "f32[N,1] f32[2,M]", "f32[2,1]",
              facts("N == 2 && M == 1"), opset(6)},
             {"opset 1 one rank known", op, "f32? f32[2,M]", "f32[2,M]", opset(1)},
             {"bad C1 type", op, "str[N]", error("SHP102 C1")},
             {"bad C1 types", op, "f32[N] f16[N]", error("SHP102 C1")},
             {"bad C2 dims", op, "f32[2,3] f32[2,4]", error("SHP105 C2")},
             {"bad C2 opset 1", op, "f32[2,3] f32[2,1]", error("SHP105 C2"), opset(6)},
             {"bad C2 rank, opset 1", op, "f32[2,3] f32[3]", error("SHP103 C2"), opset(6)});
}

TEST_CASE("Sum, Mean, Max and Min of known elements") {
  RULE_CASES({"C1 sum", "Sum", "f32[2]{N,1/2} f32[1]{1}", "f32[2]{N + 1,3/2}"},
             {"C1 mean", "Mean", "f32[1]{N} f32[1]{3}", "f32[1]{(N + 3)/2}"},
             {"C1 max", "Max", "i64[3]{N,2,-1} i64{1}", "i64[3]{max(N, 1),2,1}"},
             {"C1 min", "Min", "i64[3]{N,2,?} i64{1}", "i64[3]{min(N, 1),1,?}"});
}

TEST_CASE("PRelu") {
  RULE_CASES({"a slope a channel", "PRelu", "f32[N,C,H,W] f32[64,1,1]", "f32[N,64,H,W]"},
             {"one slope", "PRelu", "f32[N,C] f32[1]", "f32[N,C]"},
             {"unknown rank", "PRelu", "f32? f32[4]", "f32?"},
             {"opset 6", "PRelu", "f32[N,C,H] f32[C]", "f32[N,C,H]", opset(6)},
             {"bad C1 type", "PRelu", "i8[N] i8[N]", error("SHP102 C1")},
             {"bad C1 types", "PRelu", "f32[N] f16[N]", error("SHP102 C1")},
             {"bad C1 opset 6", "PRelu", "f32[N] f16[N]", error("SHP102 C1"), opset(6)},
             {"bad C2 rank", "PRelu", "f32[N] f32[M,N]", error("SHP103 C2")},
             {"bad C3 dims", "PRelu", "f32[N,3] f32[4]", error("SHP105 C3")});
}

}  // namespace
}  // namespace onnx_shapes
