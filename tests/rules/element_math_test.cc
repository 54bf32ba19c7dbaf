#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Add, Sub, Mul of known elements") {
  RULE_CASES({"integers", "Add", "i64[3]{N,-1,2} i64[3]{M,1,N}", "i64[3]{N + M,0,N + 2}"},
             {"broadcast", "Add", "i64[2,1]{N,1} i64[2]{0,5}", "i64[2,2]{N,N + 5,1,6}"},
             {"unknown among known", "Sub", "i64[2]{N,?} i64[2]{1,1}", "i64[2]{N - 1,?}"},
             {"products", "Mul", "i64[2]{N,v_a} i64[2]{M,2}", "i64[2]{N*M,2*v_a}"},
             {"zero wipes out", "Mul", "i64[1]{?} i64{0}", "i64[1]{0}"},
             {"halves", "Mul", "f32[2]{N,3} f32{1/2}", "f32[2]{N/2,3/2}"},
             {"a rounded factor", "Mul", "f32[1]{N} f32{11184811/33554432}", "f32[1]{none}"},
             {"wraps around", "Add", "i32[1]{2147483647} i32[1]{1}", "i32[1]{none}"},
             {"overflow", "Mul", "i64[1]{4611686018427387904} i64{4}", "i64[1]{none}"},
             {"unsigned below zero", "Sub", "u8[2]{1,3} u8[2]{2,2}", "u8[2]{?,1}"},
             {"an unsigned symbol may be below zero", "Sub", "u64[1]{N} u64{1}", "u64[1]{none}"},
             {"legacy axis", "Add broadcast=1 axis=0", "i64[2,2]{1,2,3,4} i64[2]{N,0}",
              "i64[2,2]{N + 1,N + 2,3,4}", opset(6)});
}

TEST_CASE("Div of known elements") {
  RULE_CASES(
      {"truncates", "Div", "i64[4]{7,-7,7,-7} i64[4]{2,2,-2,-2}", "i64[4]{3,-3,-3,3}"},
      {"sizes", "Div", "i64[2]{N,N*M} i64[2]{2,M}", "i64[2]{N//2,N}"},
      {"a sign that is not known", "Div", "i64[2]{v_a,4*v_a} i64{2}",
       "i64[2]{max(min((v_a + 1)//2, 0), v_a//2),2*v_a}"},
      {"hardly negative", "Div", "i64[2]{N - 1,N - 2} i64[2]{2,3}",
       "i64[2]{max(N - 1, 0)//2,max(N - 2, 0)//3}"},
      {"not above zero", "Div", "i64[1]{-N} i64{2}", "i64[1]{-(N//2)}"},
      {"by zero", "Div", "i64[1]{N} i64{0}", "i64[1]{none}"},
      {"the least by -1", "Div", "i64[1]{-9223372036854775808} i64{-1}", "i64[1]{none}"},
      {"floats", "Div", "f32[3]{N,N,1} f32[3]{2,3,-4}", "f32[3]{N/2,N/3,-1/4}"},
      {"a quotient of floats that may be zero by zero", "Div", "f32[1]{N} f32[1]{N}",
       "f32[1]{none}"},
      {"a quotient of floats", "Div", "f32[1]{2*N} f32[1]{N}", "f32[1]{2}", given("N >= 1")});
}

TEST_CASE("unary arithmetic on known elements") {
  RULE_CASES(
      {"Abs", "Abs", "i64[4]{-3,N,-N,v_a}", "i64[4]{3,N,N,max(v_a, -v_a)}"},
      {"Neg", "Neg", "i64[2]{N,-3}", "i64[2]{-N,3}"},
      {"Neg wraps around", "Neg", "i32[1]{-2147483648}", "i32[1]{none}"},
      {"Sign", "Sign", "i64[5]{-3,0,N + 1,N,-N - 1}", "i64[5]{-1,0,1,min(N, 1),-1}"},
      {"Floor", "Floor", "f32[4]{5/2,-5/2,N/2,N/3}", "f32[4]{2,-3,N//2,N//3}"},
      {"Ceil", "Ceil", "f32[3]{5/2,-5/2,N/2}", "f32[3]{3,-2,(N + 1)//2}"},
      {"Round to even", "Round", "f32[6]{1/2,3/2,5/2,-1/2,-9/2,11/4}", "f32[6]{0,2,2,0,-4,3}"},
      {"Round halves of sizes", "Round", "f32[2]{N/2,N}", "f32[2]{?,N}"},
      {"Sqrt", "Sqrt", "f32[4]{9,1/4,2,-4}", "f32[4]{3,1/2,?,?}"},
      {"Reciprocal", "Reciprocal", "f32[3]{4,-2,0}", "f32[3]{1/4,-1/2,?}"});
}

TEST_CASE("chains that exporters write") {
  RULE_CASES({"half a size",
              "{ f = Cast<to=1>(x0) h = Constant<value_float=0.5>() m = Mul(f, h) "
              "g = Floor(m) y0 = Cast<to=7>(g) }",
              "i64[1]{N}", "i64[1]{N//2}"},
             {"padding to a multiple",
              "{ f = Cast<to=1>(x0) d = Constant<value_float=32.0>() "
              "q = Div(f, d) c = Ceil(q) m = Mul(c, d) y0 = Cast<to=7>(m) }",
              "i64[1]{N}", "i64[1]{32*((N + 31)//32)}"},
             {"what was rounded stays rounded",
              "{ f = Cast<to=1>(x0) d = Constant<value_float=3.0>() "
              "q = Div(f, d) m = Mul(q, d) y0 = Cast<to=7>(m) }",
              "i64[1]{N}", "i64[1]{none}"});
}

}  // namespace
}  // namespace onnx_shapes
