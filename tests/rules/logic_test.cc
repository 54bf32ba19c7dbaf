#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("comparisons broadcast and give bool") {
  const std::string op =
      GENERATE(as<std::string>(), "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual");
  RULE_CASES({"C2 ranks", op, "f32[N,1] f32[K,1,3]", "bool[K,N,3]"},
             {"unknown rank", op, "f32[N] f32?", "bool?"}, {"nothing known", op, "? ?", "bool?"},
             {"bad C1 type", op, "c64[N] c64[N]", error("SHP102 C1")},
             {"bad C1 types", op, "f32[N] f16[N]", error("SHP102 C1")},
             {"bad C2 dims", op, "f32[2] f32[3]", error("SHP105 C2")});
}

TEST_CASE("And, Or and Xor broadcast") {
  const std::string op = GENERATE(as<std::string>(), "And", "Or", "Xor");
  RULE_CASES({"C2 both ways", op, "bool[1,4,1,N] bool[3,1,5,N]", "bool[3,4,5,N]"},
             {"unknown rank", op, "bool? bool[N]", "bool?"},
             {"bad C1 type", op, "i32[N] i32[N]", error("SHP102 C1")},
             {"bad C2 dims", op, "bool[2] bool[3]", error("SHP105 C2")});
}

TEST_CASE("predicates up to opset 6") {
  const std::string op = GENERATE(as<std::string>(), "Equal", "Greater", "Less");
  RULE_CASES({"C1 axis", op + " broadcast=1 axis=0", "i32[N,C] i32[3]", "bool[3,C]", opset(1)},
             {"bad C1 rank", op, "i32[N,C] i32[C]", error("SHP103 C1"), opset(1)},
             {"bad C2 dims", op, "i32[2] i32[3]", error("SHP105 C2"), opset(1)},
             {"bad C3 types", op, "i32[N] i64[N]", error("SHP102 C3"), opset(1)});
}

TEST_CASE("boolean predicates up to opset 6") {
  const std::string op = GENERATE(as<std::string>(), "And", "Or", "Xor");
  RULE_CASES({"C1 suffix", op + " broadcast=1", "bool[N,C] bool[1]", "bool[N,C]", opset(1)},
             {"bad C1 rank", op, "bool[N,C] bool[C]", error("SHP103 C1"), opset(1)},
             {"bad C2 dims", op, "bool[2] bool[3]", error("SHP105 C2"), opset(1)},
             {"bad C3 type", op, "i32[N] i32[N]", error("SHP102 C3"), opset(1)});
}

TEST_CASE("comparisons are decided for every run or not at all") {
  RULE_CASES({"Equal", "Equal", "i64[5]{N,-1,N,N,?} i64[5]{-1,-1,N,M,3}", "bool[5]{0,1,1,?,?}"},
             {"Less", "Less", "i64[4]{N,N,-1,3} i64[4]{N + 1,N,N,N}", "bool[4]{1,0,1,?}"},
             {"Greater", "Greater", "i64[3]{N + 1,N,N} i64[3]{N,N,3}", "bool[3]{1,0,?}"},
             {"LessOrEqual", "LessOrEqual", "i64[3]{0,N + 1,N} i64[3]{N,N,3}", "bool[3]{1,0,?}"},
             {"GreaterOrEqual", "GreaterOrEqual", "i64[2]{N,-1} i64[2]{0,N}", "bool[2]{1,0}"},
             {"fractions", "Less", "f32[2]{1/2,3/4} f32[2]{3/4,1/2}", "bool[2]{1,0}"},
             {"ranges count", "Equal", "i64[1]{N} i64{1}", "bool[1]{0}", given("N >= 2")});
}

TEST_CASE("boolean logic with undecided elements") {
  RULE_CASES({"And", "And", "bool[4]{0,1,1,?} bool[4]{?,?,1,0}", "bool[4]{0,?,1,0}"},
             {"Or", "Or", "bool[4]{0,1,0,?} bool[4]{?,?,0,1}", "bool[4]{?,1,0,1}"},
             {"Xor", "Xor", "bool[3]{0,1,1} bool[3]{1,?,1}", "bool[3]{1,?,0}"},
             {"Not", "Not", "bool[3]{0,1,?}", "bool[3]{1,0,?}"});
}

TEST_CASE("Not") {
  RULE_CASES({"dims", "Not", "bool[N,3]", "bool[N,3]"}, {"unknown rank", "Not", "?", "bool?"},
             {"bad C1 type", "Not", "i32[N]", error("SHP102 C1")});
}

TEST_CASE("bitwise logic") {
  const std::string op = GENERATE(as<std::string>(), "BitwiseAnd", "BitwiseOr", "BitwiseXor");
  RULE_CASES({"C2 ranks", op, "i32[N,1] i32[3]", "i32[N,3]"},
             {"bad C1 type", op, "bool[N] bool[N]", error("SHP102 C1")},
             {"bad C1 types", op, "i32[N] i64[N]", error("SHP102 C1")},
             {"bad C2 dims", op, "i32[2] i32[3]", error("SHP105 C2")},
             {"not", "BitwiseNot", "u8[N,3]", "u8[N,3]"},
             {"bad C1 not", "BitwiseNot", "f32[N]", error("SHP102 C1")});
}

TEST_CASE("Where") {
  RULE_CASES(
      {"C3 all three broadcast", "Where", "bool[N,1,1] f32[C,1] f32[3]", "f32[N,C,3]"},
      {"unknown rank", "Where", "bool[N] f32? f32", "f32?"},
      {"strings", "Where", "bool[N] str[N] str", "str[N]"},
      {"decided", "Where", "bool[3]{1,0,?} i64[3]{N,N,N} i64[3]{5,5,5}", "i64[3]{N,5,?}"},
      {"either way the same", "Where", "bool[1]{?} i64[1]{N} i64[1]{N}", "i64[1]{N}"},
      {"a branch of which nothing is known", "Where", "bool[2]{1,0} f32[2]{2,3} f32[2]",
       "f32[2]{2,?}"},
      {"a dim is never -1",
       "{ s = Shape(x0) m = Constant<value_int=-1>() e = Equal(s, m) o = ConstantOfShape<value="
       "int64[1]{1}>(x1) w = Where(e, o, s) y0 = Identity(w) }",
       "f32[N,C] i64[1]{2}", "i64[2]{N,C}"},
      {"bad C1 condition", "Where", "i32[N] f32[N] f32[N]", error("SHP102 C1")},
      {"bad C2 types", "Where", "bool[N] f32[N] f64[N]", error("SHP102 C2")},
      {"bad C3 dims", "Where", "bool[2] f32[3] f32", error("SHP105 C3")});
}

}  // namespace
}  // namespace onnx_shapes
