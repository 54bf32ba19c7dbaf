#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("binary arithmetic broadcasts") {
  const std::string op = GENERATE(as<std::string>(), "Add", "Sub", "Mul", "Div", "Pow");
  RULE_CASES({"C2 ranks", op, "f32[N,1] f32[K,1,3]", "f32[K,N,3]"},
             {"C2 scalar", op, "f32[N] f32", "f32[N]"},
             {"C2 a number wins", op, "f32[N,C] f32[64]", "f32[N,64]"},
             {"unknown rank", op, "f32[N] f32?", "f32?"}, {"nothing known", op, "? ?", "undef?"},
             {"bad C1 type", op, "str[N] str[N]", error("SHP102 C1")},
             {"bad C2 dims", op, "f32[2] f32[3]", error("SHP105 C2")});
}

TEST_CASE("binary arithmetic up to opset 6") {
  const std::string op = GENERATE(as<std::string>(), "Add", "Sub", "Mul", "Div", "Pow");
  RULE_CASES(
      {"C2 one shape", op, "f32[N,3] f32[M,3]", "f32[N,3]", facts("N == M"), opset(6)},
      {"C1 suffix", op + " broadcast=1", "f32[N,C,3] f32[3]", "f32[N,C,3]", opset(6)},
      {"C1 axis", op + " broadcast=1 axis=1", "f32[N,C,3] f32[64]", "f32[N,64,3]", facts("C == 64"),
       opset(6)},
      {"C1 negative axis", op + " broadcast=1 axis=-2", "f32[N,C,3] f32[64]", "f32[N,64,3]",
       opset(6)},
      {"C2 ones", op + " broadcast=1 consumed_inputs=[0,0]", "f32[N,C] f32[1,1]", "f32[N,C]",
       opset(1)},
      {"C1 scalar", op + " broadcast=1", "f32[N,C] f32", "f32[N,C]", opset(6)},
      {"unknown rank", op + " broadcast=1", "f32[N,C] f32?", "f32[N,C]", opset(6)},
      {"bad C1 no broadcasting", op, "f32[N,C] f32", error("SHP103 C1"), opset(6)},
      {"bad C1 rank", op + " broadcast=1", "f32[N] f32[1,N]", error("SHP103 C1"), opset(6)},
      {"bad C1 axis", op + " broadcast=1 axis=2", "f32[N,C] f32[3]", error("SHP106 C1"), opset(6)},
      {"bad C2 dims", op + " broadcast=1", "f32[N,2] f32[3]", error("SHP105 C2"), opset(6)},
      {"bad C3 type", op, "str[N] str[N]", error("SHP102 C3"), opset(6)},
      {"bad C3 types", op, "f32[N] f64[N]", error("SHP102 C3"), opset(6)});
}

TEST_CASE("both operands have one type") {
  const std::string op = GENERATE(as<std::string>(), "Add", "Sub", "Mul", "Div", "Mod");
  RULE_CASES({"bad C1 types", op, "i32[N] i64[N]", error("SHP102 C1")});
}

TEST_CASE("Mod") {
  RULE_CASES(
      {"shape", "Mod", "i64[N,1] i64[3]", "i64[N,3]"},
      {"floors", "Mod", "i64[4]{7,-7,7,-7} i64[4]{3,3,-3,-3}", "i64[4]{1,2,-2,-1}"},
      {"truncates", "Mod fmod=1", "i64[4]{7,-7,7,-7} i64[4]{3,3,-3,-3}", "i64[4]{1,-1,1,-1}"},
      {"sizes", "Mod", "i64[2]{N,v_a} i64{4}", "i64[2]{N % 4,v_a % 4}"},
      {"truncates what may be negative", "Mod fmod=1", "i64[2]{N,v_a} i64{4}", "i64[2]{N % 4,?}"},
      {"floats", "Mod fmod=1", "f32[1]{N} f32{4}", "f32[1]{N % 4}"},
      {"by zero", "Mod", "i64[1]{N} i64{0}", "i64[1]{none}"},
      {"floats of opset 28", "Mod", "f32[N] f32", "f32[N]", opset(28)},
      {"bad C1 type", "Mod", "bool[N] bool[N]", error("SHP102 C1")},
      {"bad C2 dims", "Mod", "i64[2] i64[3]", error("SHP105 C2")},
      {"bad C3 fmod", "Mod fmod=2", "i64[N] i64[N]", error("SHP106 C3")},
      {"bad C3 floats", "Mod", "f32[N] f32[N]", error("SHP106 C3"), opset(13)});
}

TEST_CASE("Pow") {
  RULE_CASES({"type of the base", "Pow", "i32[N] f32[N]", "i32[N]"},
             {"values", "Pow", "i64[4]{N,3,-2,2} i64[4]{2,0,3,M}", "i64[4]{N*N,1,-8,?}"},
             {"negative exponent", "Pow", "i64[1]{2} i64{-1}", "i64[1]{none}"},
             {"bad C1 base", "Pow", "u8[N] f32[N]", error("SHP102 C1")},
             {"bad C1 exponent", "Pow", "f32[N] bool[N]", error("SHP102 C1")});
}

TEST_CASE("BitShift") {
  RULE_CASES(
      {"left", "BitShift direction=\"LEFT\"", "u64[2]{N,3} u64{2}", "u64[2]{4*N,12}"},
      {"right", "BitShift direction=\"RIGHT\"", "u64[2]{N,13} u64{2}", "u64[2]{N//4,3}"},
      {"right keeps the sign", "BitShift direction=\"RIGHT\"", "i32[1]{-5} i32{1}", "i32[1]{-3}"},
      {"bits fall off", "BitShift direction=\"LEFT\"", "u8[1]{255} u8{1}", "u8[1]{none}"},
      {"more bits than there are", "BitShift direction=\"LEFT\"", "u8[1]{1} u8{8}", "u8[1]{none}"},
      {"bad C1 type", "BitShift direction=\"LEFT\"", "f32[N] f32[N]", error("SHP102 C1")},
      {"bad C1 types", "BitShift direction=\"LEFT\"", "u8[N] u16[N]", error("SHP102 C1")},
      {"bad C2 dims", "BitShift direction=\"LEFT\"", "u8[2] u8[3]", error("SHP105 C2")},
      {"bad C3 missing", "BitShift", "u8[N] u8[N]", error("SHP106 C3")},
      {"bad C3 direction", "BitShift direction=\"UP\"", "u8[N] u8[N]", error("SHP106 C3")});
}

TEST_CASE("unary arithmetic keeps type and shape") {
  const std::string op = GENERATE(as<std::string>(), "Abs", "Ceil", "Floor", "Neg", "Reciprocal",
                                  "Round", "Sign", "Sqrt");
  RULE_CASES({"dims", op, "f16[N,3]", "f16[N,3]"}, {"unknown rank", op, "f64?", "f64?"},
             {"bad C1 type", op, "bool[N]", error("SHP102 C1")});
}

}  // namespace
}  // namespace onnx_shapes
