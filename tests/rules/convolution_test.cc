// Convolutions.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Conv", "[convolution]") {
  RULE_CASES(
      {"padded to the same size", "Conv pads=[1, 1, 1, 1]", "f32[N,3,H,W] f32[8,3,3,3]",
       "f32[N,8,H,W]"},
      {"strides", "Conv pads=[3, 3, 3, 3] strides=[2, 2]", "f32[N,3,H,W] f32[64,3,7,7] f32[64]",
       "f32[N,64,(H + 1)//2,(W + 1)//2]"},
      {"numbers", "Conv strides=[2]", "f32[1,3,10] f32[8,3,3]", "f32[1,8,4]"},
      {"dilations", "Conv dilations=[2, 3]", "f32[N,3,H,W] f32[8,3,3,3]", "f32[N,8,H - 4,W - 6]"},
      {"begin and end of an axis", "Conv pads=[0, 1, 2, 3]", "f32[N,3,H,W] f32[8,3,1,1]",
       "f32[N,8,H + 2,W + 4]"},
      {"three spatial axes", "Conv", "f32[N,3,D,H,W] f32[8,3,1,2,3]", "f32[N,8,D,H - 1,W - 2]"},
      {"SAME", "Conv auto_pad=\"SAME_UPPER\" strides=[2, 3]", "f32[N,3,H,W] f32[8,3,5,5]",
       "f32[N,8,(H + 1)//2,(W + 2)//3]"},
      {"SAME without strides", "Conv auto_pad=\"SAME_LOWER\" dilations=[2]",
       "f32[N,3,L] f32[8,3,5]", "f32[N,8,L]"},
      {"VALID ignores pads", "Conv auto_pad=\"VALID\" pads=[1, 1]", "f32[N,3,L] f32[8,3,3]",
       "f32[N,8,L - 2]"},
      {"a kernel of unknown size", "Conv", "f32[N,3,L] f32[8,3,K]", "f32[N,8,L - K + 1]"},
      {"C2 groups", "Conv group=2", "f32[N,C,L] f32[8,D,1]", "f32[N,8,L]", facts("C == 2*D")},
      {"C4 the bias says the channels", "Conv", "f32[N,3,L] f32[M,3,1] f32[8]", "f32[N,8,L]",
       facts("M == 8")},
      {"W6 the output has a size", "Conv", "f32[N,3,L] f32[8,3,5]", "f32[N,8,L - 4]",
       bounds("4 <= L")},
      {"W1 kernel_shape says the kernel", "Conv kernel_shape=[3]", "f32[N,3,L] f32[8,3,K]",
       "f32[N,8,L - 2]", facts("K == 3")},
      {"no batch", "Conv", "f32[0,3,5] f32[8,3,3]", "f32[0,8,3]"},
      {"unknown rank of X", "Conv", "f32? f32[8,3,3,3]", "f32[?,8,?,?]"},
      {"unknown rank of W", "Conv kernel_shape=[3]", "f32[N,C,L] f32?", "f32[N,?,L - 2]"},
      {"unknown ranks", "Conv", "f32? f32?", "f32?"},
      {"unknown dim", "Conv", "f32[N,3,?] f32[8,3,3]", "f32[N,8,?]"},
      {"opset 1", "Conv", "f32[N,3,L] f32[8,3,3]", "f32[N,8,L - 2]", opset(1)},
      {"bad C1", "Conv", "f32[1,3,9] f32[8,3,3,3]", error("SHP103 C1")},
      {"bad C2", "Conv", "f32[1,4,9] f32[8,3,3]", error("SHP105 C2")},
      {"bad C3", "Conv group=3", "f32[1,9,9] f32[8,3,3]", error("SHP106 C3")},
      {"bad C4", "Conv", "f32[1,3,9] f32[8,3,3] f32[7]", error("SHP105 C4")},
      {"bad W1", "Conv kernel_shape=[5]", "f32[1,3,9] f32[8,3,3]", error("SHP106 W1")},
      {"bad W1 count", "Conv kernel_shape=[3, 3]", "f32[1,3,9] f32[8,3,3]", error("SHP106 W1")},
      {"bad W2", "Conv strides=[0]", "f32[1,3,9] f32[8,3,3]", error("SHP106 W2")},
      {"bad W2 count", "Conv strides=[1, 1]", "f32[1,3,9] f32[8,3,3]", error("SHP106 W2")},
      {"bad W3", "Conv dilations=[-1]", "f32[1,3,9] f32[8,3,3]", error("SHP106 W3")},
      {"bad W4", "Conv pads=[1]", "f32[1,3,9] f32[8,3,3]", error("SHP106 W4")},
      {"bad W5", "Conv auto_pad=\"SAME\"", "f32[1,3,9] f32[8,3,3]", error("SHP106 W5")},
      {"bad W6", "Conv", "f32[1,3,2] f32[8,3,5]", error("SHP104 W6")},
      {"bad T1", "Conv", "f32[1,3,9] f64[8,3,3]", error("SHP102 T1")},
      {"bad T1 integers", "Conv", "i32[1,3,9] i32[8,3,3]", error("SHP102 T1")});
}

TEST_CASE("Integer and quantized convolutions", "[convolution]") {
  RULE_CASES(
      {"integers add up in 32 bits", "ConvInteger", "u8[N,3,L] i8[8,3,3] u8", "i32[N,8,L - 2]"},
      {"bad T1 of integers", "ConvInteger", "f32[N,3,L] i8[8,3,3]", error("SHP102 T1")},
      {"bad C1 of integers", "ConvInteger", "u8[N,3] i8[8,3]", error("SHP103 C1")},
      {"bad C2 of integers", "ConvInteger", "u8[1,2,9] i8[8,3,3]", error("SHP105 C2")},
      {"bad C3 of integers", "ConvInteger group=0", "u8[1,2,9] i8[8,3,3]", error("SHP106 C3")},
      {"the type of the zero point", "QLinearConv pads=[1, 1]",
       "u8[N,3,L] f32 u8 i8[8,3,3] f32 i8 f32 i8 i32[8]", "i8[N,8,L]"},
      {"unknown rank", "QLinearConv", "u8[N,3,L] f32 u8 i8? f32 i8 f32 u8", "u8[N,?,?]"},
      {"bad C4 quantized", "QLinearConv", "u8[N,3,L] f32 u8 i8[8,3,3] f32 i8 f32 i8 i32[3]",
       error("SHP105 C4")},
      {"bad T1 quantized", "QLinearConv", "f32[N,3,L] f32 u8 i8[8,3,3] f32 i8 f32 u8",
       error("SHP102 T1")});
}

TEST_CASE("ConvTranspose", "[convolution]") {
  RULE_CASES(
      {"strides", "ConvTranspose strides=[2, 2]", "f32[N,4,H,W] f32[4,8,2,2]", "f32[N,8,2*H,2*W]"},
      {"pads and output_padding", "ConvTranspose strides=[2] pads=[1, 1] output_padding=[1]",
       "f32[N,4,L] f32[4,8,3] f32[8]", "f32[N,8,2*L]"},
      {"groups", "ConvTranspose group=2", "f32[N,4,L] f32[4,8,3]", "f32[N,16,L + 2]"},
      {"dilations", "ConvTranspose dilations=[2]", "f32[N,4,L] f32[4,8,3]", "f32[N,8,L + 4]"},
      {"output_shape", "ConvTranspose strides=[2] output_shape=[9]", "f32[N,4,L] f32[4,8,3]",
       "f32[N,8,9]"},
      {"output_shape of the whole", "ConvTranspose output_shape=[1, 8, 9]", "f32[N,4,L] f32[4,8,3]",
       "f32[N,8,9]"},
      {"SAME", "ConvTranspose strides=[2] auto_pad=\"SAME_UPPER\"", "f32[N,4,L] f32[4,8,3]",
       "f32[N,8,2*L]"},
      {"SAME with a stride above the kernel", "ConvTranspose strides=[5] auto_pad=\"SAME_LOWER\"",
       "f32[N,4,L] f32[4,8,3]", "f32[N,8,?]"},
      {"VALID", "ConvTranspose strides=[2] auto_pad=\"VALID\"", "f32[N,4,L] f32[4,8,3]",
       "f32[N,8,2*L + 1]"},
      {"C2 channels are equal", "ConvTranspose", "f32[N,C,L] f32[D,8,1]", "f32[N,8,L]",
       facts("C == D")},
      {"unknown rank of X", "ConvTranspose", "f32? f32[4,8,3]", "f32[?,8,?]"},
      {"unknown rank of W", "ConvTranspose kernel_shape=[3]", "f32[N,4,L] f32?", "f32[N,?,L + 2]"},
      {"unknown ranks", "ConvTranspose", "f32? f32?", "f32?"},
      {"bad C1", "ConvTranspose", "f32[N,4] f32[4,8]", error("SHP103 C1")},
      {"bad C2", "ConvTranspose", "f32[N,3,L] f32[4,8,3]", error("SHP105 C2")},
      {"bad C3", "ConvTranspose group=3", "f32[N,4,L] f32[4,8,3]", error("SHP106 C3")},
      {"bad C4", "ConvTranspose group=2", "f32[N,4,L] f32[4,8,3] f32[8]", error("SHP105 C4")},
      {"bad C5", "ConvTranspose output_shape=[9, 9]", "f32[N,4,L] f32[4,8,3]", error("SHP106 C5")},
      {"bad C6", "ConvTranspose output_padding=[1, 1]", "f32[N,4,L] f32[4,8,3]",
       error("SHP106 C6")},
      {"bad W4", "ConvTranspose pads=[1]", "f32[N,4,L] f32[4,8,3]", error("SHP106 W4")},
      {"bad W6", "ConvTranspose pads=[4, 4]", "f32[N,4,4] f32[4,8,3]", error("SHP104 W6")},
      {"bad T1", "ConvTranspose", "f32[N,4,L] f16[4,8,3]", error("SHP102 T1")});
}

TEST_CASE("DeformConv", "[convolution]") {
  RULE_CASES(
      {"offset says the output's dims", "DeformConv pads=[1, 1, 1, 1]",
       "f32[N,3,H,W] f32[8,3,3,3] f32[N,18,H,W]", "f32[N,8,H,W]"},
      {"C5 and C6", "DeformConv offset_group=2", "f32[N,4,5,6] f32[8,4,2,2] f32[M,C,P,Q]",
       "f32[N,8,4,5]", facts("M == N && C == 16 && P == 4 && Q == 5")},
      {"mask", "DeformConv", "f32[N,4,5,6] f32[8,4,2,2] f32[N,8,4,5] - f32[N,C,4,5]",
       "f32[N,8,4,5]", facts("C == 4")},
      {"unknown ranks", "DeformConv", "f32? f32? f32[N,8,4,5]", "f32?"},
      {"bad C4", "DeformConv", "f32[N,4,5,6] f32[8,4,2,2] f32[N,8,4,5] f32[4]", error("SHP105 C4")},
      {"bad C5", "DeformConv", "f32[N,4,5,6] f32[8,4,2,2] f32[N,8,5,5]", error("SHP105 C5")},
      {"bad C5 rank", "DeformConv", "f32[N,4,5,6] f32[8,4,2,2] f32[N,8,4]", error("SHP103 C5")},
      {"bad C6", "DeformConv", "f32[N,4,5,6] f32[8,4,2,2] f32[N,9,4,5]", error("SHP105 C6")},
      {"bad T1", "DeformConv", "i32[N,4,5,6] i32[8,4,2,2] i32[N,8,4,5]", error("SHP102 T1")});
}

TEST_CASE("CausalConvWithState", "[convolution]") {
  RULE_CASES(
      {"the state keeps k - 1", "CausalConvWithState", "f32[N,C,L] f32[C,1,4] f32[C]",
       "f32[N,C,L] f32[N,C,3]"},
      {"C3 past_state", "CausalConvWithState", "f32[N,C,L] f32[C,1,K] - f32[M,C,3]",
       "f32[N,C,L] f32[N,C,3]", facts("M == N && K == 4")},
      {"unknown ranks", "CausalConvWithState", "f32? f32[C,1,4]", "f32[?,C,?] f32[?,C,3]"},
      {"bad C1", "CausalConvWithState", "f32[N,C] f32[C,1,4]", error("SHP103 C1")},
      {"bad C2", "CausalConvWithState", "f32[N,3,L] f32[3,2,4]", error("SHP105 C2")},
      {"bad C3", "CausalConvWithState", "f32[N,3,L] f32[3,1,4] - f32[N,3,4]", error("SHP105 C3")},
      {"bad C4", "CausalConvWithState", "f32[N,3,L] f32[3,1,4] f32[4]", error("SHP105 C4")},
      {"bad T1", "CausalConvWithState", "f32[N,3,L] f16[3,1,4]", error("SHP102 T1")});
}

}  // namespace onnx_shapes::test
