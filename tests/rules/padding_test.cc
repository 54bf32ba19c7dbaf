#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("Pad") {
  RULE_CASES(
      {"begins and ends", "Pad", "f32[N,C] i64[4]{1,0,2,0}", "f32[N + 3,C]"},
      {"axes", "Pad", "f32[N,C] i64[2]{1,2} - i64[1]{-1}", "f32[N,C + 3]"},
      {"negative pads", "Pad", "f32[N] i64[2]{-1,-1}", "f32[N - 2]", bounds("2 <= N")},
      {"pads in two dims", "Pad", "f32[N,C] i64[1,4]{0,1,0,1}", "f32[N,C + 2]"},
      {"symbols", "Pad", "f32[N] i64[2]{0,M - N}", "f32[M]"},
      {"any mode", "Pad mode=\"reflect\"", "f32[N,C] i64[4]{0,1,0,1}", "f32[N,C + 2]"},
      {"unknown pads of some axes", "Pad", "f32[N,C] i64[K] - i64[1]{1}", "f32[N,?]"},
      {"unknown axes", "Pad", "f32[N,C] i64[2]{1,1} - i64[1]", "f32[?,?]"},
      {"unknown rank", "Pad", "f32? i64[2]{1,1}", "f32?"},
      {"contents", "Pad", "i64[2]{N,2} i64[2]{1,2}", "i64[5]{0,N,2,0,0}"},
      {"contents and a filling", "Pad", "i64[1]{N} i64[2]{1,0} i64{7}", "i64[2]{7,N}"},
      {"contents and negative pads", "Pad", "i64[3]{N,2,M} i64[2]{-1,1} i64{1}", "i64[3]{2,M,1}"},
      {"contents in another mode", "Pad mode=\"edge\"", "i64[2]{N,2} i64[2]{1,0}", "i64[3]{none}"},
      {"opset 1", "Pad paddings=[0, 1, 0, 1]", "f32[N,C]", "f32[N,C + 2]", opset(1)},
      {"opset 2", "Pad pads=[0, 1, 0, 1]", "f32[N,C]", "f32[N,C + 2]", opset(2)},
      {"opset 2 of unknown rank", "Pad pads=[0, 1, 0, 1]", "f32?", "f32[?,?]", opset(2)},
      {"bad C1 count", "Pad", "f32[N,C] i64[2]{0,1}", error("SHP107 C1")},
      {"bad C1 no pads", "Pad", "f32[N]", opset(2), error("SHP106 C1")},
      {"bad C2 axis", "Pad", "f32[N] i64[2]{0,1} - i64[1]{1}", error("SHP107 C2")},
      {"bad C3 twice", "Pad", "f32[N] i64[4]{0,1,0,1} - i64[2]{0,-1}", error("SHP107 C3")},
      {"bad C4 negative length", "Pad", "f32[3] i64[2]{-2,-2}", error("SHP107 C4")},
      {"bad type", "Pad", "f32[N] i32[2]{0,1}", error("SHP102 T")},
      {"bad type of axes", "Pad", "f32[N] i64[2]{0,1} - f32[1]{0}", error("SHP102 Tind")});
}

TEST_CASE("CenterCropPad") {
  RULE_CASES(
      {"all axes", "CenterCropPad", "f32[N,C] i64[2]{3,M}", "f32[3,M]"},
      {"axes", "CenterCropPad axes=[-1, 0]", "f32[N,C,W] i64[2]{3,4}", "f32[4,C,3]"},
      {"unknown lengths", "CenterCropPad axes=[1]", "f32[N,C] i64[1]", "f32[N,?]"},
      {"unknown rank", "CenterCropPad", "f32? i64[1]{3}", "f32?"},
      {"bad C1 count", "CenterCropPad", "f32[N,C] i64[1]{3}", error("SHP104 C1")},
      {"bad C1 rank", "CenterCropPad", "f32[N] i64{3}", error("SHP103 C1")},
      {"bad C2 axis", "CenterCropPad axes=[2]", "f32[N,C] i64[1]{3}", error("SHP107 C2")},
      {"bad C3 twice", "CenterCropPad axes=[0, 0]", "f32[N,C] i64[2]{3,3}", error("SHP107 C3")},
      {"bad C4 negative", "CenterCropPad", "f32[N] i64[1]{-3}", error("SHP107 C4")},
      {"bad type", "CenterCropPad", "f32[N] f32[1]{3}", error("SHP102 Tind")});
}

TEST_CASE("Trilu") {
  RULE_CASES({"shape stays", "Trilu", "f32[N,C,W] i64{1}", "f32[N,C,W]"},
             {"upper", "Trilu", "i64[2,3]{1,2,3,4,5,6}", "i64[2,3]{1,2,3,0,5,6}"},
             {"upper above the diagonal", "Trilu", "i64[2,2]{1,N,3,4} i64{1}", "i64[2,2]{0,N,0,0}"},
             {"lower", "Trilu upper=0", "i64[2,2]{1,2,N,4}", "i64[2,2]{1,0,N,4}"},
             {"unknown k", "Trilu", "i64[2,2]{1,2,3,4} i64", "i64[2,2]{none}"},
             {"far k", "Trilu", "i64[1,2]{1,2} i64{9223372036854775807}", "i64[1,2]{0,0}"},
             {"unknown rank", "Trilu", "f32?", "f32?"},
             {"bad C1 rank", "Trilu", "f32[N]", error("SHP103 C1")},
             {"bad C2 k", "Trilu", "f32[N,N] i64[1,1]{1}", error("SHP103 C2")},
             {"bad type of k", "Trilu", "f32[N,N] i32{1}", error("SHP102 k")});
}

TEST_CASE("ReverseSequence") {
  RULE_CASES(
      {"C3 batch in axis 1", "ReverseSequence", "f32[T,B,3] i64[M]", "f32[T,B,3]", facts("B == M")},
      {"batch in axis 0", "ReverseSequence batch_axis=0 time_axis=1", "f32[B,T] i64[4]", "f32[4,T]",
       facts("B == 4")},
      {"unknown rank", "ReverseSequence", "f32? i64[B]", "f32?"},
      {"bad C1 rank", "ReverseSequence", "f32[T] i64[B]", error("SHP103 C1")},
      {"bad C2 axes", "ReverseSequence batch_axis=1 time_axis=1", "f32[T,B] i64[B]",
       error("SHP106 C2")},
      {"bad C3 lengths", "ReverseSequence", "f32[T,3] i64[4]", error("SHP105 C3")},
      {"bad C3 rank", "ReverseSequence", "f32[T,3] i64[3,1]", error("SHP103 C3")},
      {"bad type", "ReverseSequence", "f32[T,3] i32[3]", error("SHP102 T")});
}

TEST_CASE("TensorScatter") {
  RULE_CASES({"shape of the cache", "TensorScatter", "f32[B,H,M,D] f32[B,H,S,D] i64[B]",
              "f32[B,H,M,D]", bounds("S <= M")},
             {"C2 C4 equal dims", "TensorScatter axis=1", "f32[B,M,8] f32[C,S,D] i64[E]",
              "f32[B,M,8]", facts("B == C && D == 8 && B == E")},
             {"without indices", "TensorScatter", "f32[B,M,D] f32?", "f32[B,M,D]"},
             {"unknown rank", "TensorScatter", "f32? f32[B,M,D]", "f32?"},
             {"bad C1 batch axis", "TensorScatter axis=0", "f32[B,M] f32[B,M]", error("SHP106 C1")},
             {"bad C1 outside", "TensorScatter axis=2", "f32[B,M] f32[B,M]", error("SHP106 C1")},
             {"bad C2 rank", "TensorScatter", "f32[B,M,D] f32[B,M]", error("SHP103 C2")},
             {"bad C2 dim", "TensorScatter", "f32[B,M,3] f32[B,M,4]", error("SHP105 C2")},
             {"bad C4 rank", "TensorScatter", "f32[B,M,3] f32[B,M,3] i64[B,1]", error("SHP103 C4")},
             {"bad C5 types", "TensorScatter", "f32[B,M,3] f16[B,M,3]", error("SHP102 C5")},
             {"bad type of indices", "TensorScatter", "f32[B,M,3] f32[B,M,3] i32[B]",
              error("SHP102 write_indices")});
}

}  // namespace
}  // namespace onnx_shapes
