#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Constant") {
  RULE_CASES({"tensor", "Constant value=int64[2]{1,-1}", "", "i64[2]{1,-1}"},
             {"float tensor", "Constant value=float[1,2]{0.5,-2.0}", "", "f32[1,2]{1/2,-2}"},
             {"strings of a tensor", "Constant value=string[1]{\"a\"}", "", "str[1]{none}"},
             {"value_int", "Constant value_int=7", "", "i64{7}"},
             {"value_ints", "Constant value_ints=[7,-1]", "", "i64[2]{7,-1}"},
             {"value_ints without elements", "Constant value_ints:ints=[]", "", "i64[0]{}"},
             {"value_float", "Constant value_float=0.75", "", "f32{3/4}"},
             {"value_floats", "Constant value_floats=[1.5,-3.0]", "", "f32[2]{3/2,-3}"},
             {"value_string", "Constant value_string=\"a\"", "", "str"},
             {"value_strings", "Constant value_strings=[\"a\",\"b\"]", "", "str[2]"},
             {"bad C1 nothing", "Constant", "", error("SHP106 C1")});
}

TEST_CASE("ConstantOfShape") {
  RULE_CASES(
      {"float zeros", "ConstantOfShape", "i64[2]{2,1}", "f32[2,1]{0,0}"},
      {"a value", "ConstantOfShape value=int64[1]{-1}", "i64[1]{3}", "i64[3]{-1,-1,-1}"},
      {"symbolic dims", "ConstantOfShape value=int32[1]{1}", "i64[2]{N,3}", "i32[N,3]"},
      {"no dims", "ConstantOfShape", "i64[0]{}", "f32{0}"},
      {"C3 a dim that the run decides", "ConstantOfShape", "i64[2]{v_a,2}", "f32[v_a,2]",
       bounds("0 <= v_a")},
      {"unknown contents", "ConstantOfShape", "i64[3]", "f32[?,?,?]"},
      {"unknown rank", "ConstantOfShape", "i64[K]", "f32?"},
      {"more elements than are followed", "ConstantOfShape", "i64[1]{5000}", "f32[5000]{none}"},
      {"bad C1 type", "ConstantOfShape", "i32[2]{1,2}", error("SHP102 C1")},
      {"bad C2 rank", "ConstantOfShape", "i64{2}", error("SHP103 C2")},
      {"bad C3 negative", "ConstantOfShape", "i64[2]{2,-1}", error("SHP107 C3")},
      {"bad C4 value", "ConstantOfShape value=int64[2]{1,2}", "i64[1]{2}", error("SHP106 C4")});
}

TEST_CASE("EyeLike") {
  RULE_CASES({"type of the input", "EyeLike", "f64[N,3]", "f64[N,3]"},
             {"dtype", "EyeLike dtype=7", "f64[N,3]", "i64[N,3]"},
             {"values", "EyeLike k=1", "i64[2,3]", "i64[2,3]{0,1,0,0,0,1}"},
             {"below the diagonal", "EyeLike k=-1", "i32[2,2]", "i32[2,2]{0,0,1,0}"},
             {"many rows of nothing", "EyeLike", "i32[1000000000000000000,0]",
              "i32[1000000000000000000,0]{}"},
             {"unknown rank", "EyeLike", "f32?", "f32?"},
             {"bad C1 rank", "EyeLike", "f32[N]", error("SHP103 C1")},
             {"bad C2 type", "EyeLike", "str[N,N]", error("SHP102 C2")});
}

TEST_CASE("Range") {
  RULE_CASES(
      {"constants", "Range", "i64{3} i64{9} i64{3}", "i64[2]{3,6}"},
      {"falling", "Range", "i64{10} i64{4} i64{-2}", "i64[3]{10,8,6}"},
      {"empty", "Range", "i64{5} i64{2} i64{1}", "i64[0]{}"},
      {"symbolic limit", "Range", "i64{0} i64{N} i64{1}", "i64[N]"},
      {"symbolic step count", "Range", "i64{0} i64{N} i64{2}", "i64[(N + 1)//2]"},
      {"a difference", "Range", "i64{P} i64{P + S} i64{1}", "i64[S]"},
      {"a start that is known in terms", "Range", "i64{P} i64{P + 2} i64{1}", "i64[2]{P,P + 1}"},
      {"falling to a symbol", "Range", "i64{N} i64{0} i64{-1}", "i64[N]"},
      {"perhaps empty", "Range", "i64{0} i64{v_a} i64{1}", "i64[max(v_a, 0)]"},
      {"step of unknown sign", "Range", "i64{0} i64{N} i64{v_a}", "i64[?]"},
      {"floats", "Range", "f32{0} f32{5/2} f32{1/2}", "f32[5]{0,1/2,1,3/2,2}"},
      {"float step that is rounded", "Range",
       "f32{0} f32{11744051/16777216} f32{13421773/134217728}", "f32[7]"},
      {"half floats are rounded", "Range", "f16{0} f16{2} f16{1/2}", "f16[?]"},
      {"vectors of one element", "Range", "i64[1]{0} i64[1]{N} i64[1]{1}", "i64[N]"},
      {"unknown contents", "Range", "f32 f32 f32", "f32[Range_y0_length]"},
      {"bad C1 type", "Range", "u8 u8 u8", error("SHP102 C1")},
      {"bad C1 types", "Range", "i64 i32 i64", error("SHP102 C1")},
      {"bad C2 rank", "Range", "i64 i64[1,1] i64", error("SHP103 C2")},
      {"bad C3 no step", "Range", "i64{0} i64{N} i64{0}", error("SHP107 C3")});
}

TEST_CASE("RandomNormal and RandomUniform") {
  const std::string op = GENERATE(as<std::string>(), "RandomNormal", "RandomUniform");
  RULE_CASES({"shape", op + " shape=[2,3]", "", "f32[2,3]"},
             {"dtype", op + " shape=[2] dtype=11", "", "f64[2]"},
             {"like", op + "Like", "f16[N,3]", "f16[N,3]"},
             {"like with dtype", op + "Like dtype=1", "i64[N,3]", "f32[N,3]"},
             {"like unknown rank", op + "Like", "f32?", "f32?"},
             {"bad C1 missing", op, "", error("SHP106 C1")},
             {"bad C1 negative", op + " shape=[2,-1]", "", error("SHP106 C1")});
}

TEST_CASE("Bernoulli and Multinomial") {
  RULE_CASES({"Bernoulli", "Bernoulli", "f32[N,3]", "f32[N,3]"},
             {"Bernoulli dtype", "Bernoulli dtype=9", "f32[N,3]", "bool[N,3]"},
             {"bad C1 Bernoulli", "Bernoulli", "i32[N]", error("SHP102 C1")},
             {"Multinomial", "Multinomial", "f32[N,C]", "i32[N,1]"},
             {"Multinomial samples", "Multinomial sample_size=5 dtype=7", "f32[N,C]", "i64[N,5]"},
             {"Multinomial unknown rank", "Multinomial", "f32?", "i32[?,1]"},
             {"bad C1 Multinomial", "Multinomial", "i32[N,C]", error("SHP102 C1")},
             {"bad C2 Multinomial", "Multinomial", "f32[C]", error("SHP103 C2")},
             {"bad C3 Multinomial", "Multinomial sample_size=0", "f32[N,C]", error("SHP106 C3")});
}

TEST_CASE("Shape") {
  RULE_CASES({"all", "Shape", "f32[N,3,M + 1]", "i64[3]{N,3,M + 1}"},
             {"scalar", "Shape", "f32", "i64[0]{}"},
             {"from start", "Shape start=1", "f32[N,3,M]", "i64[2]{3,M}"},
             {"to end", "Shape start=-3 end=-1", "f32[N,3,M]", "i64[2]{N,3}"},
             {"clamped", "Shape start=-9 end=9", "f32[N,3]", "i64[2]{N,3}"},
             {"start after end", "Shape start=2 end=1", "f32[N,3,M]", "i64[0]{}"},
             {"unknown rank", "Shape", "f32?", "i64[Shape_y0_rank]"},
             {"unknown dim", "Shape", "f32[?,3]", "i64[2]{?,3}"});
}

TEST_CASE("Size") {
  RULE_CASES({"product", "Size", "f32[N,3,M]", "i64{3*N*M}"}, {"scalar", "Size", "f32", "i64{1}"},
             {"unknown rank", "Size", "f32?", "i64{none}"});
}

}  // namespace
}  // namespace onnx_shapes
