#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Resize by scales") {
  RULE_CASES(
      {"integers", "Resize", "f32[N,C,H,W] - f32[4]{1,1,2,2}", "f32[N,C,2*H,2*W]"},
      {"fractions of symbols", "Resize", "f32[N,C,H,W] - f32[4]{1,1,1/2,3/2}",
       "f32[N,C,H//2,(3*W)//2]"},
      {"fractions of numbers", "Resize", "f32[1,1,5,5] - f32[4]{1,1,1/2,3/2}", "f32[1,1,2,7]"},
      // 0.7 in single precision is a little less: times 10 it is 7 for ONNX Runtime, 6 for numpy.
      {"rounding that differs", "Resize", "f32[10] - f32[1]{11744051/16777216}", "f32[?]",
       bounds("Resize_y0_d0 <= 10")},
      {"rounding that agrees", "Resize", "f32[9] - f32[1]{11744051/16777216}", "f32[6]"},
      {"a symbol that may round either way", "Resize", "f32[N] - f32[1]{11744051/16777216}",
       "f32[?]", bounds("Resize_y0_d0 <= N")},
      {"axes", "Resize axes=[-1, 2]", "f32[N,C,H,W] - f32[2]{2,1/2}", "f32[N,C,H//2,2*W]"},
      {"unknown scales", "Resize", "f32[N,C] - f32[2]", "f32[?,?]"},
      {"unknown scales of axes", "Resize axes=[1]", "f32[N,C] - f32[1]", "f32[N,?]"},
      {"unknown rank", "Resize", "f32? - f32[2]{1,2}", "f32?"},
      {"empty sizes", "Resize", "f32[N] - f32[1]{2} i64[0]{}", "f32[2*N]"},
      {"opset 10", "Resize", "f32[N,C] f32[2]{1,3}", "f32[N,3*C]", opset(10)},
      {"opset 11", "Resize", "f32[N,C] f32[0]{} f32[2]{1,3}", "f32[N,3*C]", opset(11)},
      {"bad C1 count", "Resize", "f32[N,C] - f32[1]{2}", error("SHP107 C1")},
      {"bad C1 rank", "Resize", "f32[N] - f32{2}", error("SHP103 C1")},
      {"bad C2 zero", "Resize", "f32[N] - f32[1]{0}", error("SHP107 C2")},
      {"bad C3 neither", "Resize", "f32[N]", error("SHP101 C3")},
      {"bad C3 both", "Resize", "f32[N] - f32[1]{2} i64[1]{5}", error("SHP101 C3")},
      {"bad C4 axis", "Resize axes=[1]", "f32[N] - f32[1]{2}", error("SHP107 C4")},
      {"bad type", "Resize", "f32[N] - f64[1]{2}", error("SHP102 T")});
}

TEST_CASE("Resize to sizes") {
  RULE_CASES(
      {"sizes", "Resize", "f32[N,C,H,W] - - i64[4]{N,C,224,S}", "f32[N,C,224,S]"},
      {"axes", "Resize axes=[3, 2]", "f32[N,C,H,W] - - i64[2]{5,7}", "f32[N,C,7,5]"},
      {"unknown sizes", "Resize axes=[1]", "f32[N,C] - - i64[K]", "f32[N,?]"},
      {"opset 11 with empty scales", "Resize", "f32[N] f32[0]{} f32[0]{} i64[1]{5}", "f32[5]",
       opset(11)},
      // Scale 7/10: 10 becomes 7, and 6 becomes 4.2.
      {"not larger", "Resize axes=[2, 3] keep_aspect_ratio_policy=\"not_larger\"",
       "f32[1,1,10,6] - - i64[2]{7,8}", "f32[1,1,7,4]"},
      // Scale 8/6: 10 becomes 13.3.
      {"not smaller", "Resize axes=[2, 3] keep_aspect_ratio_policy=\"not_smaller\"",
       "f32[1,1,10,6] - - i64[2]{7,8}", "f32[1,1,13,8]"},
      {"not larger, one axis", "Resize axes=[1] keep_aspect_ratio_policy=\"not_larger\"",
       "f32[N,C] - - i64[1]{7}", "f32[N,7]"},
      {"not larger, symbols", "Resize keep_aspect_ratio_policy=\"not_larger\"",
       "f32[H,W] - - i64[2]{7,8}", "f32[?,?]", bounds("Resize_y0_d0 <= 7 && Resize_y0_d1 <= 8")},
      {"not smaller, symbols", "Resize keep_aspect_ratio_policy=\"not_smaller\"",
       "f32[H,W] - - i64[2]{7,8}", "f32[?,?]", bounds("7 <= Resize_y0_d0 && 8 <= Resize_y0_d1")},
      {"bad C1 count", "Resize", "f32[N,C] - - i64[1]{2}", error("SHP107 C1")},
      {"bad C2 zero", "Resize", "f32[N] - - i64[1]{0}", error("SHP107 C2")});
}

TEST_CASE("Upsample") {
  RULE_CASES(
      {"opset 1", "Upsample height_scale=2.0 width_scale=1.5", "f32[N,C,H,4]", "f32[N,C,2*H,6]",
       opset(1)},
      {"opset 7", "Upsample scales=[1.0, 2.5]", "f32[N,3]", "f32[N,7]", opset(7)},
      {"opset 7 of unknown rank", "Upsample scales=[1.0, 2.0]", "f32?", "f32?", opset(7)},
      {"opset 9", "Upsample", "f32[N,W] f32[2]{1,2}", "f32[N,2*W]", opset(9)},
      {"opset 9, unknown", "Upsample", "f32[N,W] f32[2]", "f32[?,?]", opset(9)},
      {"bad C1 rank", "Upsample height_scale=2.0 width_scale=1.5", "f32[N,C]", opset(1),
       error("SHP103 C1")},
      {"bad C1 missing", "Upsample height_scale=2.0", "f32[N,C,H,W]", opset(1), error("SHP106 C1")},
      {"bad C1 no scales", "Upsample", "f32[N,C]", opset(7), error("SHP106 C1")},
      {"bad C1 count", "Upsample scales=[2.0]", "f32[N,C]", opset(7), error("SHP107 C1")},
      {"bad C2 negative", "Upsample scales=[-2.0]", "f32[N]", opset(7), error("SHP107 C2")});
}

TEST_CASE("GridSample, AffineGrid and ImageDecoder") {
  RULE_CASES(
      {"C2 C3 grid", "GridSample", "f32[N,C,H,W] f32[M,P,Q,R]", "f32[N,C,P,Q]",
       facts("M == N && R == 2")},
      {"volume", "GridSample", "f32[N,C,D,H,W] f16[N,1,2,3,3]", "f32[N,C,1,2,3]"},
      {"grid of unknown rank", "GridSample", "f32[N,C,H,W] f32?", "f32[N,C,?,?]"},
      {"X of unknown rank", "GridSample", "f32? f32[N,P,Q,2]", "f32[N,?,P,Q]"},
      {"bad C1 rank", "GridSample", "f32[N,C] f32[N,2]", error("SHP103 C1")},
      {"bad C1 ranks", "GridSample", "f32[N,C,H,W] f32[N,P,1]", error("SHP103 C1")},
      {"bad C2 batch", "GridSample", "f32[2,C,W] f32[3,P,1]", error("SHP105 C2")},
      {"bad C3 coordinates", "GridSample", "f32[N,C,W] f32[N,P,2]", error("SHP105 C3")},
      {"bad C4 type", "GridSample", "f32[N,C,W] i64[N,P,1]", error("SHP102 C4")},
      {"affine of 2-D", "AffineGrid", "f32[N,2,3] i64[4]{M,C,H,W}", "f32[N,H,W,2]",
       facts("M == N")},
      {"affine of 3-D", "AffineGrid", "f32[N,R,K] i64[5]{N,C,D,H,W}", "f32[N,D,H,W,3]",
       facts("R == 3 && K == 4")},
      {"affine of unknown size", "AffineGrid", "f32[N,2,3] i64[K]", "f32[N,?,?,2]"},
      {"affine of unknown theta", "AffineGrid", "f32? i64[4]{N,C,H,W}", "f32[N,H,W,2]"},
      {"affine of nothing known", "AffineGrid", "f32[N,R,K] i64[L]", "f32?"},
      {"bad affine C1 rank", "AffineGrid", "f32[N,2] i64[4]{N,C,H,W}", error("SHP103 C1")},
      {"bad affine C1 rows", "AffineGrid", "f32[N,4,3] i64[K]", error("SHP104 C1")},
      {"bad affine C2 length", "AffineGrid", "f32[N,2,3] i64[3]", error("SHP104 C2")},
      {"bad affine C3 batch", "AffineGrid", "f32[2,2,3] i64[4]{3,C,H,W}", error("SHP105 C3")},
      {"bad affine C4 rows", "AffineGrid", "f32[N,2,3] i64[5]", error("SHP105 C4")},
      {"bad affine T1", "AffineGrid", "i64[N,2,3] i64[4]{N,C,H,W}", error("SHP102 T1")},
      {"bad affine T2", "AffineGrid", "f32[N,2,3] i32[4]{N,C,H,W}", error("SHP102 T2")},
      {"image", "ImageDecoder", "u8[L]", "u8[?,?,3]"},
      {"gray image", "ImageDecoder pixel_format=\"Grayscale\"", "u8[L]", "u8[?,?,1]"},
      {"bad image C1", "ImageDecoder", "f32[L]", error("SHP102 C1")});
}

}  // namespace
}  // namespace onnx_shapes
