// Pools.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Pools", "[pooling]") {
  RULE_CASES(
      {"halved", "MaxPool kernel_shape=[2, 2] strides=[2, 2]", "f32[N,C,H,W]",
       "f32[N,C,H//2,W//2]"},
      {"padded", "AveragePool kernel_shape=[3, 3] strides=[2, 2] pads=[1, 1, 1, 1]", "f32[N,C,H,W]",
       "f32[N,C,(H + 1)//2,(W + 1)//2]"},
      {"strides of 1", "LpPool kernel_shape=[3]", "f32[N,C,L]", "f32[N,C,L - 2]"},
      {"indices", "MaxPool kernel_shape=[3]", "f32[N,C,L]", "f32[N,C,L - 2] i64[N,C,L - 2]"},
      {"dilations", "MaxPool kernel_shape=[3] dilations=[2]", "f32[N,C,L]", "f32[N,C,L - 4]"},
      {"SAME", "MaxPool kernel_shape=[3] strides=[2] auto_pad=\"SAME_UPPER\"", "f32[N,C,L]",
       "f32[N,C,(L + 1)//2]"},
      {"SAME with ceil_mode",
       "MaxPool kernel_shape=[3] strides=[2] auto_pad=\"SAME_LOWER\" ceil_mode=1", "f32[N,C,L]",
       "f32[N,C,(L + 1)//2]"},
      {"SAME with dilations", "MaxPool kernel_shape=[3] auto_pad=\"SAME_LOWER\" dilations=[2]",
       "f32[N,C,L]", "f32[N,C,?]"},
      {"VALID", "AveragePool kernel_shape=[3] strides=[2] auto_pad=\"VALID\"", "f32[N,C,L]",
       "f32[N,C,(L - 1)//2]"},
      {"VALID with ceil_mode where both readings agree",
       "MaxPool kernel_shape=[3] strides=[2] auto_pad=\"VALID\" ceil_mode=1", "f32[N,C,5]",
       "f32[N,C,2]"},
      {"VALID with ceil_mode where they do not",
       "MaxPool kernel_shape=[3] strides=[2] auto_pad=\"VALID\" ceil_mode=1", "f32[N,C,4]",
       "f32[N,C,?]"},
      {"bytes", "MaxPool kernel_shape=[2]", "u8[N,C,L]", "u8[N,C,L - 1]"},
      {"kernel_shape says the rank", "MaxPool kernel_shape=[2, 2]", "f32?", "f32[?,?,?,?]"},
      {"nothing says the rank", "LpPool", "f32?", "f32?", opset(1)},
      {"opset 1", "MaxPool kernel_shape=[2] strides=[2]", "f32[N,C,L]", "f32[N,C,L//2]", opset(1)},
      {"bad C1", "MaxPool kernel_shape=[2]", "f32[N,C]", error("SHP103 C1")},
      {"bad W1", "MaxPool kernel_shape=[0]", "f32[N,C,L]", error("SHP106 W1")},
      {"bad W2", "MaxPool kernel_shape=[2] strides=[-1]", "f32[N,C,L]", error("SHP106 W2")},
      {"bad W3", "MaxPool kernel_shape=[2] dilations=[1, 1]", "f32[N,C,L]", error("SHP106 W3")},
      {"bad W4", "MaxPool kernel_shape=[2] pads=[1]", "f32[N,C,L]", error("SHP106 W4")},
      {"bad W5", "MaxPool kernel_shape=[2] auto_pad=\"FULL\"", "f32[N,C,L]", error("SHP106 W5")},
      {"bad W6", "MaxPool kernel_shape=[5]", "f32[N,C,2]", error("SHP104 W6")},
      {"bad T1", "AveragePool kernel_shape=[2]", "str[N,C,L]", error("SHP102 T1")});
}

TEST_CASE("Global pools", "[pooling]") {
  RULE_CASES({"two axes", "GlobalAveragePool", "f32[N,C,H,W]", "f32[N,C,1,1]"},
             {"one axis", "GlobalMaxPool", "f16[N,C,L]", "f16[N,C,1]"},
             {"Lp", "GlobalLpPool", "f32[N,C,L]", "f32[N,C,1]", opset(1)},
             {"unknown rank", "GlobalAveragePool", "f32?", "f32?"},
             {"bad C1", "GlobalMaxPool", "f32[N]", error("SHP103 C1")},
             {"bad T1", "GlobalMaxPool", "bool[N,C,L]", error("SHP102 T1")});
}

TEST_CASE("MaxUnpool", "[pooling]") {
  RULE_CASES(
      {"doubled", "MaxUnpool kernel_shape=[2, 2] strides=[2, 2]", "f32[N,C,H,W] i64[N,C,H,W]",
       "f32[N,C,2*H,2*W]"},
      {"pads", "MaxUnpool kernel_shape=[2] strides=[2] pads=[1, 0]", "f32[N,C,L] i64[N,C,L]",
       "f32[N,C,2*L - 1]"},
      {"C2 equal dims", "MaxUnpool kernel_shape=[2]", "f32[N,C,L] i64[M,C,3]", "f32[N,C,4]",
       facts("M == N && L == 3")},
      {"output_shape", "MaxUnpool kernel_shape=[2]", "f32[N,C,L] i64[N,C,L] i64[3]{N,C,9}",
       "f32[N,C,9]"},
      {"an output_shape of unknown contents", "MaxUnpool kernel_shape=[2]",
       "f32[N,C,L] i64[N,C,L] i64[3]", "f32[?,?,?]"},
      {"unknown rank", "MaxUnpool kernel_shape=[2]", "f32? i64?", "f32[?,?,?]"},
      {"bad C1", "MaxUnpool kernel_shape=[2]", "f32[N,C] i64[N,C]", error("SHP103 C1")},
      {"bad C2", "MaxUnpool kernel_shape=[2]", "f32[N,C,4] i64[N,C,5]", error("SHP105 C2")},
      {"bad C3", "MaxUnpool kernel_shape=[2]", "f32[N,C,4] i64[N,C,4] i64[2]{5,6}",
       error("SHP105 C3")},
      {"bad W1", "MaxUnpool kernel_shape=[2, 2]", "f32[N,C,4] i64[N,C,4]", error("SHP106 W1")},
      {"bad T1", "MaxUnpool kernel_shape=[2]", "str[N,C,4] i64[N,C,4]", error("SHP102 T1")},
      {"bad T2", "MaxUnpool kernel_shape=[2]", "f32[N,C,4] i32[N,C,4]", error("SHP102 T2")});
}

TEST_CASE("Pools of regions", "[pooling]") {
  RULE_CASES(
      {"MaxRoiPool", "MaxRoiPool pooled_shape=[2, 3]", "f32[N,C,H,W] f32[R,5]", "f32[R,C,2,3]"},
      {"unknown rank of X", "MaxRoiPool pooled_shape=[2, 3]", "f32? f32[R,5]", "f32[R,?,2,3]"},
      {"unknown rank of rois", "MaxRoiPool pooled_shape=[2, 3]", "f32[N,C,H,W] f32?",
       "f32[?,C,2,3]"},
      {"bad C1 of MaxRoiPool", "MaxRoiPool pooled_shape=[2, 3]", "f32[N,C,H] f32[R,5]",
       error("SHP103 C1")},
      {"bad C2 of MaxRoiPool", "MaxRoiPool pooled_shape=[2, 3]", "f32[N,C,H,W] f32[R,4]",
       error("SHP105 C2")},
      {"bad C3 of MaxRoiPool", "MaxRoiPool pooled_shape=[2]", "f32[N,C,H,W] f32[R,5]",
       error("SHP106 C3")},
      {"RoiAlign", "RoiAlign output_height=7 output_width=5", "f32[N,C,H,W] f32[R,4] i64[S]",
       "f32[R,C,7,5]", facts("R == S")},
      {"sizes are 1 by default", "RoiAlign", "f32[N,C,H,W] f32? i64[R]", "f32[R,C,1,1]", opset(10)},
      {"bad C1 of RoiAlign", "RoiAlign", "f32[C,H,W] f32[R,4] i64[R]", error("SHP103 C1")},
      {"bad C2 of RoiAlign", "RoiAlign", "f32[N,C,H,W] f32[R,5] i64[R]", error("SHP105 C2")},
      {"bad C3 of RoiAlign", "RoiAlign output_width=0", "f32[N,C,H,W] f32[R,4] i64[R]",
       error("SHP106 C3")},
      {"bad C4 of RoiAlign", "RoiAlign", "f32[N,C,H,W] f32[3,4] i64[2]", error("SHP105 C4")},
      {"bad T1 of RoiAlign", "RoiAlign", "f32[N,C,H,W] f16[3,4] i64[3]", error("SHP102 T1")});
}

}  // namespace onnx_shapes::test
