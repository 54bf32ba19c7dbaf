#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

// Expected lengths are those of Python's slices, which the specification names as its model.

TEST_CASE("Slice of numbers") {
  RULE_CASES(
      {"start and end", "Slice", "f32[5,4] i64[2]{1,0} i64[2]{3,2}", "f32[2,2]"},
      {"axes and steps", "Slice", "f32[5,7] i64[1]{1} i64[1]{6} i64[1]{-1} i64[1]{2}", "f32[5,3]"},
      {"end past the axis", "Slice", "f32[5] i64[1]{1} i64[1]{1000}", "f32[4]"},
      {"start past the axis", "Slice", "f32[5] i64[1]{9} i64[1]{1000}", "f32[0]"},
      {"negative ends", "Slice", "f32[5] i64[1]{-3} i64[1]{-1}", "f32[2]"},
      {"start before the axis", "Slice", "f32[5] i64[1]{-9} i64[1]{2}", "f32[2]"},
      {"end before start", "Slice", "f32[5] i64[1]{3} i64[1]{1}", "f32[0]"},
      {"backward", "Slice", "f32[5] i64[1]{-1} i64[1]{-9223372036854775807} i64[1]{0} i64[1]{-1}",
       "f32[5]"},
      {"backward by 2", "Slice", "f32[5] i64[1]{10} i64[1]{0} i64[1]{0} i64[1]{-2}", "f32[2]"},
      {"backward from before the axis", "Slice",
       "f32[5] i64[1]{-9} i64[1]{-99} i64[1]{0} i64[1]{-1}", "f32[1]"},
      {"backward to the largest number", "Slice",
       "f32[5] i64[1]{2} i64[1]{2147483647} i64[1]{0} i64[1]{-1}", "f32[?]",
       bounds("Slice_y0_d0 <= 5")},
      {"int32 indices", "Slice", "f32[5] i32[1]{1} i32[1]{2147483647} i32[1]{0}", "f32[4]"},
      {"opset 1", "Slice starts=[1] ends=[3]", "f32[5,4]", "f32[2,4]", opset(1)},
      {"opset 1 with axes", "Slice starts=[1] ends=[-1] axes=[1]", "f32[5,4]", "f32[5,2]",
       opset(9)},
      {"bad C1 lengths", "Slice", "f32[5] i64[1]{1} i64[2]{3,4}", error("SHP105 C1")},
      {"bad C1 rank", "Slice", "f32[5] i64{1} i64[1]{3}", error("SHP103 C1")},
      {"bad C1 attributes", "Slice starts=[1] ends=[3, 4]", "f32[5]", opset(1), error("SHP106 C1")},
      {"bad C2 axis", "Slice", "f32[5] i64[1]{1} i64[1]{3} i64[1]{1}", error("SHP107 C2")},
      {"bad C3 twice", "Slice", "f32[5] i64[2]{1,1} i64[2]{3,3} i64[2]{0,-1}", error("SHP107 C3")},
      {"bad C4 step 0", "Slice", "f32[5] i64[1]{1} i64[1]{3} i64[1]{0} i64[1]{0}",
       error("SHP107 C4")},
      {"bad type", "Slice", "f32[5] f32[1]{1} i64[1]{3}", error("SHP102 Tind")});
}

TEST_CASE("Slice of symbols") {
  RULE_CASES(
      {"from a start", "Slice", "f32[N] i64[1]{1} i64[1]{9223372036854775807}",
       "f32[max(0,N - 1)]"},
      {"from a start that is there", "Slice", "f32[N] i64[1]{1} i64[1]{9223372036854775807}",
       "f32[N - 1]", given("N >= 1")},
      {"up to an end", "Slice", "f32[N] i64[1]{0} i64[1]{5}", "f32[min(N,5)]"},
      {"up to its own length", "Slice", "f32[N] i64[1]{0} i64[1]{N}", "f32[N]"},
      {"without the last", "Slice", "f32[N] i64[1]{0} i64[1]{-1}", "f32[max(0,N - 1)]"},
      {"the last ones", "Slice", "f32[N] i64[1]{-2} i64[1]{9223372036854775807}", "f32[min(N,2)]"},
      {"a part of a sum", "Slice", "f32[P + S] i64[1]{P} i64[1]{P + S}", "f32[S]"},
      {"the first part of a sum", "Slice", "f32[P + S] i64[1]{0} i64[1]{P}", "f32[P]"},
      {"every second", "Slice", "f32[N] i64[1]{0} i64[1]{9223372036854775807} i64[1]{0} i64[1]{2}",
       "f32[(N + 1)//2]"},
      {"every second from 1", "Slice",
       "f32[2*N] i64[1]{1} i64[1]{9223372036854775807} i64[1]{0} i64[1]{2}", "f32[N]",
       given("N >= 1")},
      {"end of int32", "Slice", "f32[N] i64[1]{0} i64[1]{2147483647}", "f32[N]"},
      {"backward", "Slice", "f32[N] i64[1]{-1} i64[1]{-9223372036854775807} i64[1]{0} i64[1]{-1}",
       "f32[N]"},
      {"a start that a bound keeps from being negative",
       "{ t = TensorScatter <axis: int = 1> (x0, x1) m = Shape <start: int = 1, end: int = 2> (x0) "
       "s = Shape <start: int = 1, end: int = 2> (x1) d = Sub (m, s) "
       "z = Constant <value_ints: ints = [0]> () y0 = Slice (x2, d, m, z) }",
       "f32[B,M] f32[B,S] f32[M]", "f32[S]"},
      {"an end before any start", "Slice", "f32[N] i64[1]{-3} i64[1]{-9223372036854775808}",
       "f32[0]"},
      {"a start past any end", "Slice", "f32[N] i64[1]{9223372036854775807} i64[1]{-1}", "f32[0]"},
      {"end of unknown sign", "Slice", "f32[N] i64[1]{0} i64[1]{v_e}", "f32[?]",
       bounds("Slice_y0_d0 <= N")},
      {"unknown ends and a step", "Slice", "f32[N,4] i64[1] i64[1] i64[1]{0} i64[1]{2}", "f32[?,4]",
       bounds("Slice_y0_d0 <= (N + 1)//2")},
      {"unknown axes", "Slice", "f32[N,0] i64[1]{1} i64[1]{2} i64[1]", "f32[?,0]",
       bounds("Slice_y0_d0 <= N")},
      {"unknown number of axes", "Slice", "f32[N] i64[K] i64[K]", "f32[?]",
       bounds("Slice_y0_d0 <= N")},
      {"unknown rank", "Slice", "f32? i64[1]{0} i64[1]{1}", "f32?"});
}

TEST_CASE("Slice of contents") {
  RULE_CASES(
      {"middle", "Slice", "i64[4]{N,2,?,M} i64[1]{1} i64[1]{-1}", "i64[2]{2,?}"},
      {"backward", "Slice",
       "i64[3]{N,2,M} i64[1]{-1} i64[1]{-9223372036854775807} i64[1]{0} i64[1]{-1}",
       "i64[3]{M,2,N}"},
      {"axis 1", "Slice", "i64[2,3]{1,2,3,4,N,6} i64[1]{1} i64[1]{2} i64[1]{1}", "i64[2,1]{2,N}"},
      {"every second", "Slice", "i64[5]{1,2,3,4,5} i64[1]{0} i64[1]{5} i64[1]{0} i64[1]{2}",
       "i64[3]{1,3,5}"},
      {"opset 1", "Slice starts=[0] ends=[1]", "i64[2]{N,M}", "i64[1]{N}", opset(1)});
}

}  // namespace
}  // namespace onnx_shapes
