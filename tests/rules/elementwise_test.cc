#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("functions of one variable keep type and shape") {
  const std::string op =
      GENERATE(as<std::string>(), "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Celu", "Cos",
               "Cosh", "Elu", "Erf", "Exp", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Log",
               "Mish", "Relu", "Selu", "Shrink", "Sigmoid", "Sin", "Sinh", "Softplus", "Softsign",
               "Swish", "Tan", "Tanh", "ThresholdedRelu");
  RULE_CASES({"dims", op, "f16[N,3]", "f16[N,3]"}, {"scalar", op, "f32", "f32"},
             {"empty", op, "f64[0,N]", "f64[0,N]"}, {"unknown rank", op, "f32?", "f32?"},
             {"nothing known", op, "?", "undef?"},
             {"bad C1 type", op, "bool[N]", error("SHP102 C1")});
}

TEST_CASE("Relu of known elements") {
  RULE_CASES({"C1 values", "Relu", "i32[4]{-3,N,v_a,5}", "i32[4]{0,N,max(v_a, 0),5}"});
}

TEST_CASE("Affine and the other experimental operators") {
  const std::string op = GENERATE(as<std::string>(), "Affine", "ImageScaler", "ParametricSoftplus",
                                  "Scale", "ScaledTanh");
  RULE_CASES({"opset 8", op, "f32[N,C,H,W]", "f32[N,C,H,W]", opset(8)});
}

TEST_CASE("IsNaN and IsInf") {
  const std::string op = GENERATE(as<std::string>(), "IsNaN", "IsInf");
  RULE_CASES({"bool", op, "f16[N,3]", "bool[N,3]"}, {"float8", op, "f8e5m2[N]", "bool[N]"},
             {"unknown rank", op, "f32?", "bool?"},
             {"bad C1 type", op, "i32[N]", error("SHP102 C1")});
}

TEST_CASE("Softmax, LogSoftmax, Hardmax") {
  const std::string op = GENERATE(as<std::string>(), "Softmax", "LogSoftmax", "Hardmax");
  RULE_CASES(
      {"last axis", op, "f32[N,C]", "f32[N,C]"},
      {"first axis", op + " axis=-2", "f32[N,C]", "f32[N,C]"},
      {"as a matrix", op + " axis=2", "f32[N,C]", "f32[N,C]", opset(11)},
      {"unknown rank", op + " axis=7", "f32?", "f32?"},
      {"bad C1 type", op, "i32[N]", error("SHP102 C1")},
      {"bad C2 axis", op + " axis=2", "f32[N,C]", error("SHP106 C2")},
      {"bad C2 axis below", op + " axis=-3", "f32[N,C]", error("SHP106 C2")},
      {"bad C2 scalar", op, "f32", error("SHP106 C2")},
      {"bad C2 axis of a matrix", op + " axis=3", "f32[N,C]", error("SHP106 C2"), opset(11)});
}

TEST_CASE("SwiGLU") {
  RULE_CASES(
      {"C3 equal dims", "SwiGLU", "f32[N,C] f32[M,4]", "f32[N,4]", facts("M == N && C == 4")},
      {"one rank known", "SwiGLU", "f32? f32[N,4]", "f32[N,4]"},
      {"bad C1 type", "SwiGLU", "i32[N] i32[N]", error("SHP102 C1")},
      {"bad C1 types", "SwiGLU", "f32[N] f16[N]", error("SHP102 C1")},
      {"bad C2 rank", "SwiGLU", "f32[N] f32[N,1]", error("SHP103 C2")},
      {"bad C3 no broadcasting", "SwiGLU", "f32[3] f32[1]", error("SHP105 C3")});
}

TEST_CASE("Clip") {
  RULE_CASES({"both bounds", "Clip", "f32[N,3] f32 f32", "f32[N,3]"},
             {"no bounds", "Clip", "f32[N,3]", "f32[N,3]"},
             {"no minimum", "Clip", "i64[N] - i64", "i64[N]"},
             {"a vector of one element", "Clip", "f32[N] f32[1]", "f32[N]"},
             {"values", "Clip", "i64[4]{-3,N,9,v_a} i64{0} i64{8}",
              "i64[4]{0,min(N, 8),8,min(max(v_a, 0), 8)}"},
             {"only a maximum", "Clip", "i64[2]{-3,9} - i64{8}", "i64[2]{-3,8}"},
             {"opset 6", "Clip min=0.0 max=6.0", "f32[N,3]", "f32[N,3]", opset(6)},
             {"bad C1 type", "Clip", "bool[N]", error("SHP102 C1")},
             {"bad C1 type of a bound", "Clip", "f32[N] f16", error("SHP102 C1")},
             {"bad C2 minimum", "Clip", "f32[1,3,1,1] f32[3]", "f32[1,3,1,1]", error("SHP103 C2")},
             {"bad C2 maximum", "Clip", "f32[N] - f32[1,1]", error("SHP103 C2")});
}

TEST_CASE("Dropout") {
  RULE_CASES({"with a mask", "Dropout", "f16[N,3] f32 bool", "f16[N,3] bool[N,3]"},
             {"no mask", "Dropout", "f32[N,3]", "f32[N,3]"},
             {"mask of opset 10", "Dropout ratio=0.3", "f16[N]", "f16[N] bool[N]", opset(10)},
             {"mask of opset 7", "Dropout ratio=0.3", "f16[N]", "f16[N] f16[N]", opset(7)},
             {"opset 1", "Dropout is_test=1 consumed_inputs=[0]", "f32[N]", "f32[N]", opset(1)},
             {"unknown rank", "Dropout", "f32?", "f32? bool?"},
             {"bad C1 type", "Dropout", "i32[N]", error("SHP102 C1")},
             {"bad C1 mode", "Dropout", "f32[N] f32 f32", error("SHP102 C1")},
             {"bad C2 ratio", "Dropout", "f32[N] f32[1]", error("SHP103 C2")},
             {"bad C2 mode", "Dropout", "f32[N] f32 bool[1]", error("SHP103 C2")});
}

TEST_CASE("Cast") {
  RULE_CASES(
      {"by number", "Cast to=7", "f32[N,3]", "i64[N,3]"},
      {"by name, opset 1", "Cast to=\"FLOAT16\"", "f32[N]", "f16[N]", opset(1)},
      {"unknown rank", "Cast to=1", "?", "f32?"},
      {"sizes as floats", "Cast to=1", "i64[2]{N,3}", "f32[2]{N,3}"},
      {"floats are rounded towards zero", "Cast to=7", "f64[4]{5/2,-5/2,N/2,-N/2}",
       "i64[4]{2,-2,N//2,-(N//2)}"},
      {"a rounded quotient", "Cast to=7", "f32[1]{N/3}", "i64[1]{N//3}"},
      {"out of range", "Cast to=3", "i64[3]{127,128,N}", "i8[3]{127,?,?}"},
      {"not exact in 24 bits", "Cast to=1", "i64[2]{16777216,16777217}", "f32[2]{16777216,?}"},
      {"to bool", "Cast to=9", "i64[3]{0,N + 1,N}", "bool[3]{0,1,?}"},
      {"from bool", "Cast to=7", "bool[2]{0,1}", "i64[2]{0,1}"},
      {"strings are not read", "Cast to=7", "str[1]{\"7\"}", "i64[1]{none}"},
      {"bad C1 missing", "Cast", "f32[N]", "undef[N]", error("SHP106 C1")},
      {"bad C1 unknown", "Cast to=99", "f32[N]", error("SHP106 C1")},
      {"bad C1 name", "Cast to=\"FLOAT12\"", "f32[N]", error("SHP106 C1"), opset(1)});
}

TEST_CASE("CastLike") {
  RULE_CASES({"type of the second", "CastLike", "f32[N,3] i32[K]", "i32[N,3]"},
             {"unknown type", "CastLike", "f32[N,3] ?", "undef[N,3]"},
             {"values", "CastLike", "f32[1]{5/2} i64", "i64[1]{2}"});
}

TEST_CASE("BitCast") {
  RULE_CASES({"same size", "BitCast to=6", "f32[N,3]", "i32[N,3]"},
             {"contents change", "BitCast to=1", "i32[1]{1}", "f32[1]{none}"},
             {"bad C1 string", "BitCast to=8", "f32[N]", error("SHP106 C1")},
             {"bad C1 missing", "BitCast", "f32[N]", error("SHP106 C1")},
             {"bad C2 size", "BitCast to=7", "f32[N]", error("SHP102 C2")});
}

TEST_CASE("Identity") {
  RULE_CASES({"tensor", "Identity", "f32[N,3]", "f32[N,3]"},
             {"contents", "Identity", "i64[2]{N,-1}", "i64[2]{N,-1}"},
             {"sequence", "Identity", "seq(f32[N];3)", "seq(f32[N];3)"},
             {"optional", "Identity", "opt(f32[N])", "opt(f32[N])"},
             {"nothing known", "Identity", "?", "?"});
}

}  // namespace
}  // namespace onnx_shapes
