#include "tests/rules/rule_cases.h"

namespace onnx_shapes {
namespace {

using namespace test;

TEST_CASE("QuantizeLinear") {
  RULE_CASES(
      {"default type", "QuantizeLinear", "f32[N,C] f32", "u8[N,C]"},
      {"type of the zero point", "QuantizeLinear", "f32[N,C] f32 i8", "i8[N,C]"},
      {"type of the attribute", "QuantizeLinear output_dtype=3", "f32[N,C] f32", "i8[N,C]"},
      {"one scale", "QuantizeLinear", "f32[N,C] f32[1] u8[1]", "u8[N,C]"},
      {"C2 a scale a channel", "QuantizeLinear", "f32[N,C] f32[3] u8[3]", "u8[N,3]",
       facts("C == 3")},
      {"perhaps one scale", "QuantizeLinear", "f32[N,C] f32[K]", "u8[N,C]"},
      {"C4 blocks", "QuantizeLinear axis=-1 block_size=4", "f32[N,C] f32[M,K]", "u8[N,C]",
       facts("M == N && K == (C + 3)//4")},
      {"C5 zero points", "QuantizeLinear", "f32[N,C] f32[K] i8[L]", "i8[N,C]", facts("K == L")},
      {"rank 1", "QuantizeLinear", "f32[N] f32[3]", "u8[N]"},
      {"unknown rank", "QuantizeLinear", "f32? f32", "u8?"},
      {"opset 10", "QuantizeLinear", "f32[N] f32 i8", "i8[N]", opset(10)},
      {"bad C1 rank", "QuantizeLinear", "f32[N,C,W] f32[N,C]", error("SHP103 C1")},
      {"bad C2 count", "QuantizeLinear", "f32[N,3] f32[2]", error("SHP105 C2")},
      {"bad C3 axis", "QuantizeLinear axis=2", "f32[N,3] f32[3]", error("SHP106 C3")},
      {"bad C4 blocks", "QuantizeLinear block_size=4", "f32[2,9] f32[2,2]", error("SHP105 C4")},
      {"bad C5 zero points", "QuantizeLinear", "f32[N,3] f32[3] u8[2]", error("SHP105 C5")},
      {"bad C5 rank", "QuantizeLinear", "f32[N,3] f32[3] u8[3,1]", error("SHP103 C5")},
      {"bad C6 type", "QuantizeLinear output_dtype=3", "f32[N] f32 u8", error("SHP102 C6")},
      {"bad type", "QuantizeLinear", "i64[N] f32", error("SHP102 T1")},
      {"bad type of scale", "QuantizeLinear", "f32[N] i64", error("SHP102 T2")},
      {"bad type of zero point", "QuantizeLinear", "f32[N] f32 f32", error("SHP102 T3")});
}

TEST_CASE("DequantizeLinear") {
  RULE_CASES(
      {"type of the scale", "DequantizeLinear", "i8[N,C] f16 i8", "f16[N,C]"},
      {"type of the attribute", "DequantizeLinear output_dtype=16", "i8[N,C] f32", "bf16[N,C]"},
      {"float before opset 19", "DequantizeLinear", "u8[N,C] f32[C] u8[C]", "f32[N,C]", opset(13)},
      {"C2 a scale a channel", "DequantizeLinear axis=0", "u8[N,C] f32[4]", "f32[4,C]",
       facts("N == 4")},
      {"unknown rank", "DequantizeLinear", "i32? f32", "f32?"},
      {"bad type", "DequantizeLinear", "f32[N] f32", error("SHP102 T1")},
      {"bad type of zero point", "DequantizeLinear", "u8[N] f32 i8", error("SHP102 T1")},
      {"bad type of scale", "DequantizeLinear", "u8[N] u8", error("SHP102 T2")});
}

TEST_CASE("DynamicQuantizeLinear") {
  RULE_CASES({"scalars", "DynamicQuantizeLinear", "f32[N,C]", "u8[N,C] f32 u8"},
             {"unknown rank", "DynamicQuantizeLinear", "f32?", "u8? f32 u8"},
             {"bad type", "DynamicQuantizeLinear", "f16[N]", error("SHP102 T1")});
}

}  // namespace
}  // namespace onnx_shapes
