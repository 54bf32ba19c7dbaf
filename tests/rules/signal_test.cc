// Fourier transforms, windows and mel weights.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("DFT", "[signal]") {
  RULE_CASES(
      {"real to complex", "DFT", "f32[B,L,1]", "f32[B,L,2]"},
      {"one-sided", "DFT onesided=1", "f32[B,L,1]", "f32[B,L//2 + 1,2]"},
      {"inverse", "DFT inverse=1", "f32[B,L,2]", "f32[B,L,2]"},
      {"inverse of one-sided", "DFT onesided=1 inverse=1", "f32[B,L,2]", "f32[B,2*L - 2,1]"},
      {"a length", "DFT onesided=1", "f32[B,L,1] i64[]{N}", "f32[B,N//2 + 1,2]"},
      {"a length for the inverse", "DFT onesided=1 inverse=1", "f32[B,L,2] i64[]{9}", "f32[B,9,1]"},
      {"an axis", "DFT onesided=1", "f32[B,M,L,1] - i64[]{1}", "f32[B,M//2 + 1,L,2]"},
      {"an unknown axis", "DFT onesided=1", "f32[B,M,L,1] - i64[]", "f32[?,?,?,2]"},
      {"an unknown axis that changes no dim", "DFT", "f32[B,M,L,1] - i64[]", "f32[B,M,L,2]"},
      {"the axis as attribute", "DFT axis=2 onesided=1", "f32[B,M,L,1]", "f32[B,M,L//2 + 1,2]",
       opset(17)},
      {"axis 1 by default", "DFT onesided=1", "f32[B,M,L,1]", "f32[B,M//2 + 1,L,2]", opset(17)},
      {"unknown rank", "DFT", "f32?", "f32?"}, {"bad C1", "DFT", "f32[L]", error("SHP103 C1")},
      {"bad C2", "DFT", "f32[B,L,1] i64[2,2]", error("SHP103 C2")},
      {"bad C3", "DFT onesided=2", "f32[B,L,1]", error("SHP106 C3")},
      {"bad C4", "DFT axis=2", "f32[B,L,1]", error("SHP106 C4"), opset(17)},
      {"bad T1", "DFT", "i32[B,L,1]", error("SHP102 T1")},
      {"bad T2", "DFT", "f32[B,L,1] f32[]", error("SHP102 T2")});
}

TEST_CASE("STFT", "[signal]") {
  RULE_CASES(
      {"a window", "STFT", "f32[B,L,1] i64[]{8} f32[16]", "f32[B,(L - 8)//8,9,2]"},
      {"a length", "STFT onesided=0", "f32[B,L,2] i64[]{8} - i64[]{16}", "f32[B,(L - 8)//8,16,2]"},
      {"numbers", "STFT", "f32[1,128,1] i64[]{8} f32[16] i64[]{16}", "f32[1,15,9,2]"},
      {"C2 the window says the length", "STFT", "f32[B,L,1] i64[]{8} f32[16] i64[]{N}",
       "f32[B,(L - 8)//8,9,2]", facts("N == 16")},
      {"without window and length", "STFT", "f32[B,L,1] i64[]{8}", "f32[B,1,L//2 + 1,2]"},
      {"an unknown step", "STFT", "f32[B,L,1] i64[] f32[16]", "f32[B,?,9,2]"},
      {"unknown rank", "STFT", "f32? i64[]{8} f32[16]", "f32[?,?,9,2]"},
      {"bad C1", "STFT", "f32[B,L] i64[]{8} f32[16]", error("SHP103 C1")},
      {"bad C2", "STFT", "f32[B,L,1] i64[]{8} f32[16] i64[]{17}", error("SHP105 C2")},
      {"bad C3", "STFT onesided=-1", "f32[B,L,1] i64[]{8} f32[16]", error("SHP106 C3")},
      {"bad C4", "STFT", "f32[B,L,1] i64[]{0} f32[16]", error("SHP107 C4")},
      {"bad T1", "STFT", "f32[B,L,1] i64[]{8} f64[16]", error("SHP102 T1")},
      {"bad T2", "STFT", "f32[B,L,1] f32[] f32[16]", error("SHP102 T2")});
}

TEST_CASE("Windows and mel weights", "[signal]") {
  RULE_CASES(
      {"Hann", "HannWindow", "i64[]{N}", "f32[N]"},
      {"Hamming of another type", "HammingWindow output_datatype=11", "i32[]{10}", "f64[10]"},
      {"Blackman of unknown size", "BlackmanWindow", "i64[]", "f32[?]"},
      {"bad C1", "HannWindow output_datatype=8", "i64[]{4}", error("SHP106 C1")},
      {"bad C2", "HannWindow", "i64[]{-1}", error("SHP107 C2")},
      {"bad C2 rank", "HannWindow", "i64[2,2]", error("SHP103 C2")},
      {"bad T1", "HannWindow", "f32[]", error("SHP102 T1")},
      {"mel weights", "MelWeightMatrix", "i64[]{8} i64[]{N} i64[]{16000} f32[] f32[]",
       "f32[N//2 + 1,8]"},
      {"mel weights of unknown size", "MelWeightMatrix output_datatype=10",
       "i64[] i64[]{1023} i64[] f32[] f32[]", "f16[512,?]"},
      {"bad C1 of mel weights", "MelWeightMatrix output_datatype=99",
       "i64[]{8} i64[]{8} i64[] f32[] f32[]", error("SHP106 C1")},
      {"bad C2 of mel weights", "MelWeightMatrix", "i64[]{8} i64[]{-8} i64[] f32[] f32[]",
       error("SHP107 C2")},
      {"bad T1 of mel weights", "MelWeightMatrix", "f32[] i64[]{8} i64[] f32[] f32[]",
       error("SHP102 T1")},
      {"bad T2 of mel weights", "MelWeightMatrix", "i64[]{8} i64[]{8} i64[] i64[] f32[]",
       error("SHP102 T2")});
}

}  // namespace onnx_shapes::test
