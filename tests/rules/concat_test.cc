#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Concat") {
  RULE_CASES(
      {"lengths add up", "Concat axis=-1", "f32[N,3] f32[N,S]", "f32[N,S + 3]"},
      {"C3 equal dims", "Concat axis=1", "f32[N,3] f32[M,5]", "f32[N,8]", facts("N == M")},
      {"one input", "Concat axis=0", "f32[N,3]", "f32[N,3]"},
      {"a number is better", "Concat axis=1", "f32[N,3] f32[4,5]", "f32[4,8]", facts("N == 4")},
      {"one of unknown rank", "Concat axis=-1", "f32? f32[N,3]", "f32[N,?]"},
      {"all of unknown rank", "Concat axis=0", "f32? f32?", "f32?"},
      {"contents", "Concat axis=0", "i64[1]{N} i64[2]{-1,?} i64[0]{}", "i64[3]{N,-1,?}"},
      {"contents along axis 1", "Concat axis=1", "i64[2,1]{1,2} i64[2,2]{3,4,N,6}",
       "i64[2,3]{1,3,4,2,N,6}"},
      {"unknown among known", "Concat axis=0", "i64[1]{N} i64[1] i64[1]{2}", "i64[3]{N,?,2}"},
      {"opset 1", "Concat", "f32[N,3] f32[N,5]", "f32[N,8]", opset(1)},
      {"bad C1 axis", "Concat axis=2", "f32[N,3] f32[N,3]", error("SHP106 C1")},
      {"bad C1 no axis", "Concat", "f32[N,3] f32[N,3]", error("SHP106 C1")},
      {"bad C2 rank", "Concat axis=0", "f32[N,3] f32[N]", error("SHP103 C2")},
      {"bad C3 dims", "Concat axis=0", "f32[N,3] f32[N,4]", error("SHP105 C3")},
      {"bad C3 dims of contents", "Concat axis=0", "i64[1,2]{1,2} i64[1,3]{3,4,5} i64[1,9]",
       error("SHP105 C3")},
      {"bad C4 types", "Concat axis=0", "f32[N] i64[N]", error("SHP102 C4")});
}

TEST_CASE("Split by lengths") {
  RULE_CASES(
      {"numbers", "Split axis=1", "f32[N,5] i64[2]{2,3}", "f32[N,2] f32[N,3]"},
      {"C4 a symbol is the sum", "Split", "f32[N] i64[2]{2,3}", "f32[2] f32[3]", facts("N == 5")},
      {"symbols", "Split axis=-1", "f32[N,A + 1] i64[2]{A,1}", "f32[N,A] f32[N,1]"},
      {"C4 the last length", "Split", "f32[N] i64[2]{A,B}", "f32[A] f32[B]", facts("N == A + B")},
      {"unknown lengths", "Split", "f32[5] i64[2]", "f32[?] f32[?]",
       facts("x1_value0 + x1_value1 == 5")},
      {"more unknown lengths than are named", "Split", "f32[N,4] i64[K]", "f32[?,4] f32[?,4]",
       bounds("Split_y0_length <= N")},
      {"an output that is left out", "Split", "f32[5] i64[2]{2,3}", "- f32[3]"},
      {"unknown rank", "Split", "f32? i64[2]{2,3}", "f32? f32?"},
      {"contents", "Split", "i64[3]{N,4,5} i64[2]{2,1}", "i64[2]{N,4} i64[1]{5}"},
      {"contents along axis 1", "Split axis=1", "i64[2,2]{1,2,3,4} i64[2]{1,1}",
       "i64[2,1]{1,3} i64[2,1]{2,4}"},
      {"opset 2", "Split split=[1, 4]", "f32[5]", "f32[1] f32[4]", opset(2)},
      {"opset 13", "Split", "f32[5] i64[2]{1,4}", "f32[1] f32[4]", opset(13)},
      {"bad C1 axis", "Split axis=1", "f32[5] i64[2]{1,4}", "f32? f32?", error("SHP106 C1")},
      {"bad C2 count", "Split", "f32[5] i64[2]{1,4}", "f32? f32? f32?", error("SHP107 C2")},
      {"bad C3 negative", "Split", "f32[5] i64[2]{-1,6}", "f32? f32?", error("SHP107 C3")},
      {"bad C4 sum", "Split", "f32[5] i64[2]{1,1}", "f32[1] f32[1]", error("SHP105 C4")},
      {"bad type", "Split", "f32[5] i32[2]{1,4}", "f32? f32?", error("SHP102 T")});
}

TEST_CASE("Split into equal parts") {
  RULE_CASES(
      {"opset 2", "Split axis=1", "f32[N,6]", "f32[N,3] f32[N,3]", opset(2)},
      {"opset 13 C5", "Split", "f32[N]", "f32[N//2] f32[N//2]", opset(13), facts("N == 2*(N//2)")},
      {"opset 13, symbols", "Split", "f32[2*N]", "f32[N] f32[N]", opset(13)},
      {"num_outputs", "Split num_outputs=2", "f32[6]", "f32[3] f32[3]"},
      {"num_outputs with a rest", "Split num_outputs=4", "f32[7]", "f32[2] f32[2] f32[2] f32[1]"},
      {"num_outputs of a symbol", "Split num_outputs=2", "f32[N]", "f32[(N + 1)//2] f32[N//2]"},
      {"num_outputs of three", "Split num_outputs=3", "f32[3*N]", "f32[N] f32[N] f32[N]"},
      {"bad C5 not even", "Split", "f32[7]", "f32[3] f32[3]", opset(13), error("SHP105 C5")},
      {"bad C6 count", "Split num_outputs=3", "f32[6]", "f32? f32?", error("SHP106 C6")},
      {"bad C7 too many", "Split num_outputs=4", "f32[5]", "f32? f32? f32? f32?",
       error("SHP104 C7")});
}

}  // namespace
}  // namespace onnx_shapes
