#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Reshape") {
  RULE_CASES(
      {"numbers", "Reshape", "f32[2,6] i64[2]{3,4}", "f32[3,4]"},
      {"C4 0 copies", "Reshape", "f32[N,S,64] i64[4]{0,0,8,8}", "f32[N,S,8,8]"},
      {"C6 -1 takes the rest", "Reshape", "f32[N,S,4096] i64[4]{0,0,32,-1}", "f32[N,S,32,128]"},
      {"C6 -1 of computed sizes", "Reshape", "f32[N,C,H,W] i64[3]{N,C,-1}", "f32[N,C,H*W]"},
      {"C6 -1 of everything", "Reshape", "f32[N,S,3] i64[1]{-1}", "f32[3*N*S]"},
      {"C6 -1 of a scalar", "Reshape", "f32 i64[1]{-1}", "f32[1]"},
      {"C6 -1 of a sum", "Reshape", "f32[N,P + S,4] i64[2]{-1,4}", "f32[N*P + N*S,4]"},
      {"C6 what -1 needs to be whole", "Reshape", "f32[N] i64[2]{2,-1}", "f32[2,N//2]",
       facts("N == 2*(N//2)")},
      {"C6 -1 with a size of its own", "Reshape", "f32[N,6] i64[2]{M,-1}", "f32[M,(6*N)//M]"},
      {"C6 equal counts", "Reshape", "f32[N,6] i64[2]{M,3}", "f32[M,3]", facts("M == 2*N")},
      {"C7 nothing beside a -1 is 0", "Reshape", "f32[N,6] i64[2]{N,-1}", "f32[N,6]",
       bounds("1 <= N")},
      {"to a scalar", "Reshape", "f32[N] i64[0]{}", "f32", facts("N == 1")},
      {"a size that may be -1", "Reshape", "f32[N,6] i64[2]{v_k,6}", "f32[N,6]"},
      {"two sizes that may be -1", "Reshape", "f32[N,6] i64[2]{v_k,v_m}", "f32[?,?]",
       facts("Reshape_y0_d0*Reshape_y0_d1 == 6*N")},
      {"a size that may copy", "Reshape", "f32[N,6] i64[2]{v_k,-1}", "f32[?,?]"},
      // [1, 6] to {0, -1} is [1, 6]: a 0 that a run works out copies too.
      {"a difference that may copy", "Reshape", "f32[N,6] i64[2]{N - 1,-1}", "f32[?,?]"},
      {"a difference of sizes", "Reshape", "f32[N,6] i64[2]{N - 1,-1}", "f32[N - 1,(6*N)//(N - 1)]",
       given("N >= 2")},
      {"a quotient that may copy", "Reshape", "f32[4,3,H,2] i64[3]{-1,H//2,2}", "f32[?,?,2]"},
      {"a quotient that counts", "Reshape", "f32[H,2] i64[2]{H//2,2}", "f32[H,2]"},
      {"a quotient that divides", "Reshape", "f32[B,H//4,W] i64[2]{H//4,-1}", "f32[H//4,B*W]"},
      {"a quotient with its divisor", "Reshape", "f32[B,T,C] i64[4]{B,T//2,2,C}",
       "f32[B,T//2,2,C]"},
      {"quotients with their divisors", "Reshape", "f32[H,W,C] i64[5]{H//2,2,W//2,2,C}",
       "f32[H//2,2,W//2,2,C]"},
      {"a quotient that nothing could be copied to", "Reshape", "f32[H,3] i64[3]{3,2,H//2}",
       "f32[3,2,H//2]"},
      {"a size of something else", "Reshape", "f32[N,6] i64[2]{2*M,-1}", "f32[2*M,(3*N)//M]"},
      {"allowzero copies nothing", "Reshape allowzero=1", "f32[4,3,H,2] i64[3]{12,H//2,4}",
       "f32[12,H//2,4]"},
      {"unknown contents of one element", "Reshape", "f32[N,6] i64[1]", "f32[6*N]"},
      {"unknown contents", "Reshape", "f32[N,6] i64[3]", "f32[?,?,?]",
       facts("Reshape_y0_d0*Reshape_y0_d1*Reshape_y0_d2 == 6*N")},
      {"unknown length", "Reshape", "f32[N,6] i64[R]", "f32?"},
      {"absurd length", "Reshape", "f32[N,6] i64[1000000000]", "f32?"},
      {"unknown rank", "Reshape", "f32? i64[3]{-1,5,0}", "f32[?,5,?]"},
      {"allowzero", "Reshape allowzero=1", "f32[0,4] i64[2]{4,0}", "f32[4,0]"},
      {"contents stay", "Reshape", "i64[2,2]{N,1,?,-3} i64[1]{-1}", "i64[4]{N,1,?,-3}"},
      {"strings", "Reshape", "str[4] i64[2]{2,2}", "str[2,2]"},
      {"opset 1", "Reshape shape=[0, -1]", "f32[N,2,3]", "f32[N,6]", opset(1)},
      {"opset 5", "Reshape", "f32[N,2,3] i64[2]{0,-1}", "f32[N,6]", opset(5)},
      {"bad C1 rank of shape", "Reshape", "f32[N] i64[1,1]{-1}", error("SHP103 C1")},
      {"bad C2 below -1", "Reshape", "f32[N] i64[1]{-2}", error("SHP107 C2")},
      {"bad C3 two -1", "Reshape", "f32[N] i64[2]{-1,-1}", error("SHP107 C3")},
      {"bad C4 nothing to copy", "Reshape", "f32[N] i64[2]{1,0}", error("SHP107 C4")},
      {"bad C5 0 and -1", "Reshape allowzero=1", "f32[N] i64[2]{0,-1}", error("SHP107 C5")},
      {"bad C6 counts", "Reshape", "f32[2,3] i64[1]{5}", error("SHP105 C6")},
      {"bad C6 not whole", "Reshape", "f32[5] i64[2]{2,-1}", error("SHP105 C6")},
      {"bad C7 -1 beside 0", "Reshape", "f32[0,3] i64[2]{0,-1}", error("SHP107 C7")},
      {"bad type of shape", "Reshape", "f32[N] i32[1]{1}", error("SHP102 T")});
}

TEST_CASE("Flatten") {
  RULE_CASES({"axis 1", "Flatten", "f32[N,C,H,W]", "f32[N,C*H*W]"},
             {"axis 0", "Flatten axis=0", "f32[N,C]", "f32[1,C*N]"},
             {"axis r", "Flatten axis=2", "f32[N,C]", "f32[C*N,1]"},
             {"negative axis", "Flatten axis=-1", "f32[N,C,4]", "f32[C*N,4]"},
             {"scalar", "Flatten axis=0", "f32", "f32[1,1]"},
             {"unknown rank", "Flatten", "f32?", "f32[?,?]"},
             {"contents stay", "Flatten", "i64[2]{N,7}", "i64[2,1]{N,7}"},
             {"bad C1 axis", "Flatten axis=3", "f32[N,C]", error("SHP106 C1")});
}

TEST_CASE("Squeeze") {
  RULE_CASES({"axes", "Squeeze", "f32[1,N,1] i64[2]{0,-1}", "f32[N]"},
             {"C2 a symbol is 1", "Squeeze", "f32[A,N] i64[1]{0}", "f32[N]", facts("A == 1")},
             {"axis named twice", "Squeeze", "f32[1,N,1] i64[2]{0,0}", "f32[N,1]"},
             {"no axes", "Squeeze", "f32[1,3,1,4]", "f32[3,4]"},
             {"no axes, unsure", "Squeeze", "f32[1,N]", "f32?"},
             {"no axes, never 1", "Squeeze", "f32[1,N]", "f32[N]", given("N >= 2")},
             {"empty axes", "Squeeze", "f32[1,3] i64[0]{}", "f32?"},
             {"empty axes and no 1", "Squeeze", "f32[2,3] i64[0]{}", "f32[2,3]"},
             {"one unknown axis", "Squeeze", "f32[2,N,3,1] i64[1]", "f32[2,?,?]"},
             {"one unknown axis, one choice", "Squeeze", "f32[2,3,1] i64[1]", "f32[2,3]"},
             {"two unknown axes", "Squeeze", "f32[2,N,1] i64[2]", "f32?"},
             {"unknown rank", "Squeeze", "f32? i64[1]{0}", "f32?"},
             {"contents stay", "Squeeze", "i64[1]{N} i64[1]{0}", "i64{N}"},
             {"opset 1", "Squeeze axes=[0]", "f32[1,N]", "f32[N]", opset(1)},
             {"opset 11 without axes", "Squeeze", "f32[1,3]", "f32[3]", opset(11)},
             {"bad C1 axis", "Squeeze", "f32[1,N] i64[1]{2}", error("SHP107 C1")},
             {"bad C2 dim", "Squeeze", "f32[2,N] i64[1]{0}", error("SHP105 C2")},
             {"bad C2 no 1", "Squeeze", "f32[2,3] i64[1]", error("SHP104 C2")},
             {"bad type of axes", "Squeeze", "f32[1] i32[1]{0}", error("SHP102 axes")});
}

TEST_CASE("Unsqueeze") {
  RULE_CASES({"axes", "Unsqueeze", "f32[N,3] i64[2]{0,-1}", "f32[1,N,3,1]"},
             {"axes in any order", "Unsqueeze", "f32[N] i64[2]{2,0}", "f32[1,N,1]"},
             {"scalar", "Unsqueeze", "i64{N} i64[1]{0}", "i64[1]{N}"},
             {"scalar axis", "Unsqueeze", "f32[N] i64{1}", "f32[N,1]"},
             {"unknown axes", "Unsqueeze", "f32[N] i64[2]", "f32[?,?,?]"},
             {"unknown axis of ones", "Unsqueeze", "f32[1] i64[1]", "f32[1,1]"},
             {"unknown number of axes", "Unsqueeze", "f32[N] i64[K]", "f32?"},
             {"unknown rank", "Unsqueeze", "f32? i64[1]{0}", "f32?"},
             {"opset 1", "Unsqueeze axes=[0, 2]", "f32[N]", "f32[1,N,1]", opset(1)},
             {"bad C1 axis", "Unsqueeze", "f32[N] i64[1]{2}", error("SHP107 C1")},
             {"bad C2 twice", "Unsqueeze", "f32[N] i64[2]{0,-3}", error("SHP107 C2")},
             {"bad type of axes", "Unsqueeze", "f32[N] i32[1]{0}", error("SHP102 axes")});
}

}  // namespace
}  // namespace onnx_shapes
