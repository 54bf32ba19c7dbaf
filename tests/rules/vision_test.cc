// Images.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Col2Im", "[vision]") {
  RULE_CASES(
      {"numbers", "Col2Im", "f32[1,10,5] i64[2]{5,5} i64[2]{1,5}", "f32[1,2,5,5]"},
      {"symbols", "Col2Im", "f32[N,4*C,L] i64[2]{H,W} i64[2]{2,2}", "f32[N,C,H,W]"},
      {"C3 the number of blocks", "Col2Im strides=[2] pads=[1, 1]",
       "f32[N,4,L] i64[1]{9} i64[1]{4}", "f32[N,1,9]", facts("L == 4")},
      {"unknown contents", "Col2Im", "f32[N,C,L] i64[2] i64[2]{1,5}", "f32[N,C//5,?,?]"},
      {"unknown rank", "Col2Im", "f32? i64[1]{5} i64[1]{2}", "f32[?,?,5]"},
      {"unknown count of axes", "Col2Im", "f32[N,C,L] i64[K] i64[K]", "f32?"},
      {"bad C1", "Col2Im", "f32[10,5] i64[2]{5,5} i64[2]{1,5}", error("SHP103 C1")},
      {"bad C2", "Col2Im", "f32[1,10,5] i64[2]{5,5} i64[1]{5}", error("SHP105 C2")},
      {"bad C3", "Col2Im", "f32[1,10,6] i64[2]{5,5} i64[2]{1,5}", error("SHP105 C3")},
      {"bad C4", "Col2Im", "f32[1,11,5] i64[2]{5,5} i64[2]{1,5}", error("SHP104 C4")},
      {"bad W2", "Col2Im strides=[0, 1]", "f32[1,10,5] i64[2]{5,5} i64[2]{1,5}",
       error("SHP106 W2")},
      {"bad W4", "Col2Im pads=[0]", "f32[1,10,5] i64[2]{5,5} i64[2]{1,5}", error("SHP106 W4")},
      {"bad T1", "Col2Im", "f32[1,10,5] i32[2] i64[2]{1,5}", error("SHP102 T1")});
}

}  // namespace onnx_shapes::test
