#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Transpose") {
  RULE_CASES({"perm", "Transpose perm=[0, 2, 1]", "f32[N,C,S]", "f32[N,S,C]"},
             {"default", "Transpose", "f32[N,C,S]", "f32[S,C,N]"},
             {"scalar", "Transpose", "f32", "f32"},
             {"unknown rank", "Transpose perm=[1, 0]", "f32?", "f32[?,?]"},
             {"unknown rank and perm", "Transpose", "f32?", "f32?"},
             {"contents", "Transpose", "i64[2,3]{1,2,N,4,5,6}", "i64[3,2]{1,4,2,5,N,6}"},
             {"contents of rank 3", "Transpose perm=[2, 0, 1]", "i64[2,1,2]{1,2,3,4}",
              "i64[2,2,1]{1,3,2,4}"},
             {"bad C1 twice", "Transpose perm=[0, 0]", "f32[N,M]", error("SHP107 C1")},
             {"bad C1 outside", "Transpose perm=[0, 2]", "f32[N,M]", error("SHP107 C1")},
             {"bad C1 too few", "Transpose perm=[0]", "f32[N,M]", error("SHP106 C1")});
}

TEST_CASE("Expand") {
  RULE_CASES({"ones grow", "Expand", "f32[N,1] i64[2]{1,5}", "f32[N,5]"},
             {"more axes", "Expand", "f32[3,1] i64[3]{N,3,4}", "f32[N,3,4]"},
             {"fewer axes", "Expand", "f32[N,3,1] i64[1]{S}", "f32[N,3,S]"},
             {"C3 two symbols", "Expand", "f32[N] i64[1]{M}", "f32[broadcast(N,M)]"},
             {"C3 two that are not 1", "Expand", "f32[N] i64[1]{M}", "f32[N]",
              given("N >= 2 && M >= 2"), facts("N == M")},
             {"scalar", "Expand", "f32 i64[2]{N,M}", "f32[N,M]"},
             {"0 wins over 1", "Expand", "f32[1] i64[1]{0}", "f32[0]"},
             {"unknown contents", "Expand", "f32[7,3] i64[3]", "f32[?,7,3]"},
             {"unknown length", "Expand", "f32[7] i64[L]", "f32?"},
             {"unknown rank", "Expand", "f32? i64[2]{2,3}", "f32?"},
             {"contents repeat", "Expand", "i64[2,1]{N,5} i64[2]{1,2}", "i64[2,2]{N,N,5,5}"},
             {"contents of a scalar", "Expand", "i64{N} i64[1]{3}", "i64[3]{N,N,N}"},
             {"bad C1 rank", "Expand", "f32[N] i64[1,1]{2}", error("SHP103 C1")},
             {"bad C2 negative", "Expand", "f32[N] i64[1]{-1}", error("SHP107 C2")},
             {"bad C3 dims", "Expand", "f32[3] i64[1]{4}", error("SHP105 C3")},
             {"bad type of shape", "Expand", "f32[3] i32[1]{3}", error("SHP102 T")});
}

TEST_CASE("Tile") {
  RULE_CASES({"repeats", "Tile", "f32[N,3] i64[2]{2,M}", "f32[2*N,3*M]"},
             {"unknown repeats", "Tile", "f32[0,3] i64[2]", "f32[0,?]"},
             {"unknown rank", "Tile", "f32? i64[2]{2,3}", "f32[?,?]"},
             {"contents", "Tile", "i64[2]{N,1} i64[1]{2}", "i64[4]{N,1,N,1}"},
             {"contents of rank 2", "Tile", "i64[1,2]{1,N} i64[2]{2,1}", "i64[2,2]{1,N,1,N}"},
             {"opset 1", "Tile", "f32[N,3] f32{2} f32{1}", "f32[N,6]", opset(1)},
             {"opset 1 with unknown axis", "Tile", "f32[N,3] f32{2} f32", "f32[?,?]", opset(1)},
             {"bad C1 count", "Tile", "f32[N,3] i64[1]{2}", error("SHP104 C1")},
             {"bad C1 rank", "Tile", "f32[N] i64[1,1]{2}", error("SHP103 C1")},
             {"bad C2 negative", "Tile", "f32[N] i64[1]{-1}", error("SHP107 C2")},
             {"bad type", "Tile", "f32[N] i32[1]{1}", error("SHP102 T1")});
}

TEST_CASE("DepthToSpace and SpaceToDepth") {
  RULE_CASES({"depth to space", "DepthToSpace blocksize=2", "f32[N,12,H,W]", "f32[N,3,2*H,2*W]"},
             {"C3 channels", "DepthToSpace blocksize=2", "f32[N,C,H,W]", "f32[N,C//4,2*H,2*W]",
              facts("C == 4*(C//4)")},
             {"any mode", "DepthToSpace blocksize=3 mode=\"CRD\"", "f32[1,9,2,2]", "f32[1,1,6,6]"},
             {"depth to space of unknown rank", "DepthToSpace blocksize=2", "f32?", "f32[?,?,?,?]"},
             {"space to depth", "SpaceToDepth blocksize=2", "f32[N,C,4,2*W]", "f32[N,4*C,2,W]"},
             {"C3 space", "SpaceToDepth blocksize=2", "f32[N,C,H,6]", "f32[N,4*C,H//2,3]",
              facts("H == 2*(H//2)")},
             {"bad C1 rank", "DepthToSpace blocksize=2", "f32[N,4,H]", error("SHP103 C1")},
             {"bad C2 block", "SpaceToDepth blocksize=0", "f32[N,4,H,W]", error("SHP106 C2")},
             {"bad C2 no block", "SpaceToDepth", "f32[N,4,H,W]", error("SHP106 C2")},
             {"bad C3 channels", "DepthToSpace blocksize=2", "f32[N,6,H,W]", error("SHP105 C3")},
             {"bad C3 space", "SpaceToDepth blocksize=2", "f32[N,6,3,W]", error("SHP105 C3")});
}

}  // namespace
}  // namespace onnx_shapes
