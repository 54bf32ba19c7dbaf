// Operators with the channels last, as ONNX Runtime's layout transformer writes them.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kNhwc = domain("com.ms.internal.nhwc");

}  // namespace

TEST_CASE("Windows with the channels last", "[contrib]") {
  RULE_CASES(
      {"Conv", "Conv strides=[2, 2]", "f16[N,H,W,3] f16[8,3,2,2]", "f16[N,H//2,W//2,8]", kNhwc},
      {"Conv of unknown rank", "Conv", "f32? f32[8,3,1,1]", "f32[?,?,?,8]", kNhwc},
      {"bad C2 of Conv", "Conv", "f32[N,H,W,4] f32[8,3,1,1]", error("SHP105 C2"), kNhwc},
      {"bad C0", "Conv", "f32[N,C] f32[8,3,1,1]", error("SHP103 C0"), kNhwc},
      {"ConvTranspose", "ConvTranspose strides=[2, 2]", "f32[N,H,W,3] f32[3,8,2,2]",
       "f32[N,2*H,2*W,8]", kNhwc},
      {"QLinearConv", "QLinearConv", "u8[N,H,W,3] f32[] u8[] u8[8,3,1,1] f32[] u8[] f32[] u8[]",
       "u8[N,H,W,8]", kNhwc},
      {"QLinearConvTranspose", "QLinearConvTranspose strides=[2, 2]",
       "u8[N,H,W,3] f32[] u8[] i8[3,8,2,2] f32[] i8[] f32[] u8[]", "u8[N,2*H,2*W,8]", kNhwc},
      {"bad C2 of QLinearConvTranspose", "QLinearConvTranspose",
       "u8[N,H,W,4] f32[] u8[] i8[3,8,2,2] f32[] i8[] f32[] u8[]", error("SHP105 C2"), kNhwc},
      {"MaxPool", "MaxPool kernel_shape=[2, 2] strides=[2, 2]", "f32[N,H,W,C]",
       "f32[N,H//2,W//2,C] i64[?,?,?,?]", kNhwc, opset(12)},
      {"AveragePool", "AveragePool kernel_shape=[3, 3] pads=[1, 1, 1, 1]", "f32[N,H,W,C]",
       "f32[N,H,W,C]", kNhwc, opset(19)},
      {"LpPool", "LpPool kernel_shape=[2]", "f32[N,L,C]", "f32[N,L - 1,C]", kNhwc, opset(18)},
      {"GlobalAveragePool", "GlobalAveragePool", "f32[N,H,W,C]", "f32[N,1,1,C]", kNhwc},
      {"GlobalMaxPool", "GlobalMaxPool", "f32[N,L,C]", "f32[N,1,C]", kNhwc},
      {"GlobalLpPool", "GlobalLpPool", "f32[N,H,W,C]", "f32[N,1,1,C]", kNhwc, opset(2)},
      {"QLinearAveragePool", "QLinearAveragePool kernel_shape=[2, 2]",
       "u8[N,H,W,C] f32[] u8[] f32[] u8[]", "u8[N,H - 1,W - 1,C]", kNhwc},
      {"which says the layout itself", "QLinearAveragePool kernel_shape=[2, 2] channels_last=1",
       "u8[N,H,W,C] f32[] u8[] f32[] u8[]", "u8[N,H - 1,W - 1,C]", kNhwc},
      {"MaxUnpool", "MaxUnpool kernel_shape=[2, 2] strides=[2, 2]", "f32[N,H,W,C] i64[N,C,H,W]",
       "f32[N,2*H,2*W,C]", kNhwc, opset(11)});
}

TEST_CASE("Other operators with the channels last", "[contrib]") {
  RULE_CASES(
      {"BatchNormalization", "BatchNormalization", "f32[N,H,W,C] f32[C] f32[C] f32[C] f32[C]",
       "f32[N,H,W,C]", kNhwc, opset(15)},
      {"bad C1 of BatchNormalization", "BatchNormalization",
       "f32[N,H,W,3] f32[4] f32[4] f32[4] f32[4]", error("SHP105 C1"), kNhwc, opset(15)},
      {"InstanceNormalization", "InstanceNormalization", "f32[N,L,C] f32[C] f32[C]", "f32[N,L,C]",
       kNhwc, opset(6)},
      {"LRN", "LRN size=3", "f32[N,H,W,C]", "f32[N,H,W,C]", kNhwc, opset(13)},
      {"DepthToSpace", "DepthToSpace blocksize=2", "f32[N,H,W,8]", "f32[N,2*H,2*W,2]", kNhwc,
       opset(13)},
      {"SpaceToDepth", "SpaceToDepth blocksize=2", "f32[N,4,6,C]", "f32[N,2,3,4*C]", kNhwc,
       opset(13)},
      {"GridSample", "GridSample", "f32[N,H,W,C] f32[N,A,B,2]", "f32[N,A,B,C]", kNhwc, opset(20)},
      {"Resize", "Resize", "f32[N,H,W,C] - f32[4]{1,2,2,1}", "f32[N,2*H,2*W,C]", kNhwc, opset(13)},
      {"Resize of some axes", "Resize axes=[2, 3]", "f32[N,H,W,C] - f32[2]{2,2}", "f32[?,?,?,?]",
       kNhwc, opset(18)},
      {"no version", "MaxUnpool kernel_shape=[2]", "f32[N,L,C] i64[N,C,L]", "f32[N,L + 1,C]", kNhwc,
       opset(1)});
}

}  // namespace onnx_shapes::test
