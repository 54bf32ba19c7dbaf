// Quantized operators of ONNX Runtime.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Quantized products of ONNX Runtime", "[contrib]") {
  RULE_CASES(
      {"to floats", "MatMulIntegerToFloat", "u8[B,M,K] i8[K,N] f32[] f32[]", "f32[B,M,N]", kMs},
      {"bad C2 to floats", "MatMulIntegerToFloat", "u8[2,3] i8[4,5] f32[] f32[]",
       error("SHP105 C2"), kMs},
      {"dynamic", "DynamicQuantizeMatMul", "f32[M,K] i8[K,N] f32[]", "f32[M,N]", kMs},
      {"16 bits", "MatMulInteger16", "i16[M,K] i16[K,N]", "i32[M,N]", kMs},
      {"packed", "MatMulNBits K=32 N=5 bits=4 block_size=32", "f16[B,S,K] u8[5,1,16] f16[5]",
       "f16[B,S,5]", facts("K == 32"), kMs},
      {"packed, of unknown rank", "MatMulBnb4 K=32 N=5", "f32? u8[80] f32[3]", "f32?", kMs},
      {"bad C1 packed", "MatMulNBits K=32 N=5", "f32[] u8[5,1,16] f32[5]", error("SHP103 C1"), kMs},
      {"bad C2 packed", "MatMulNBits K=32 N=5", "f32[B,16] u8[5,1,16] f32[5]", error("SHP105 C2"),
       kMs},
      {"bad C3 packed", "MatMulNBits K=32", "f32[B,32] u8[5,1,16] f32[5]", error("SHP106 C3"), kMs},
      {"QGemm", "QGemm transB=1", "u8[M,K] f32[] u8[] i8[N,K] f32[] i8[] - f32[] u8[]", "u8[M,N]",
       kMs},
      {"QGemm to floats", "QGemm", "u8[M,K] f32[] u8[] i8[K,N] f32[] i8[]", "f32[M,N]", kMs},
      {"bad C1 of QGemm", "QGemm", "u8[K] f32[] u8[] i8[K,N] f32[] i8[]", error("SHP103 C1"), kMs},
      {"bad C2 of QGemm", "QGemm", "u8[2,3] f32[] u8[] i8[4,5] f32[] i8[]", error("SHP105 C2"),
       kMs});
}

TEST_CASE("Quantized element-wise operators", "[contrib]") {
  RULE_CASES(
      {"QLinearAdd", "QLinearAdd", "u8[N,1] f32[] u8[] u8[M] f32[] u8[] f32[] u8[]", "u8[N,M]",
       kMs},
      {"QLinearMul of unknown rank", "QLinearMul", "u8? f32[] u8[] u8[M] f32[] u8[] f32[] u8[]",
       "u8?", kMs},
      {"bad C1", "QLinearAdd", "u8[2] f32[] u8[] u8[3] f32[] u8[] f32[] u8[]", error("SHP105 C1"),
       kMs},
      {"bad T1", "QLinearAdd", "u8[2] f32[] u8[] i8[2] f32[] u8[] f32[] u8[]", error("SHP102 T1"),
       kMs},
      {"QLinearWhere", "QLinearWhere", "bool[N,1] u8[M] f32[] u8[] u8[] f32[] u8[] f32[] u8[]",
       "u8[N,M]", kMs},
      {"bad T1 of QLinearWhere", "QLinearWhere",
       "bool[N] u8[N] f32[] u8[] i8[N] f32[] u8[] f32[] u8[]", error("SHP102 T1"), kMs},
      {"QLinearSigmoid", "QLinearSigmoid", "u8[N,C] f32[] u8[] f32[] u8[]", "u8[N,C]", kMs},
      {"MulInteger", "MulInteger", "u8[N,1] u8[] u8[M]", "i32[N,M]", kMs},
      {"QLinearConcat", "QLinearConcat axis=1", "f32[] u8[] u8[N,2] f32[] u8[] u8[M,L] f32[] u8[]",
       "u8[N,L + 2]", facts("N == M"), kMs},
      {"bad C1 of QLinearConcat", "QLinearConcat axis=2", "f32[] u8[] u8[N,2] f32[] u8[]",
       error("SHP106 C1"), kMs},
      {"bad C2 of QLinearConcat", "QLinearConcat axis=1",
       "f32[] u8[] u8[N,2] f32[] u8[] u8[N] f32[] u8[]", error("SHP103 C2"), kMs},
      {"bad C3 of QLinearConcat", "QLinearConcat axis=1",
       "f32[] u8[] u8[2,2] f32[] u8[] u8[3,2] f32[] u8[]", error("SHP105 C3"), kMs},
      {"QuantizeLinear", "QuantizeLinear", "f32[N] f32[] i8[]", "i8[N]", kMs},
      {"DequantizeLinear", "DequantizeLinear", "u16[N] f16[] u16[]", "f16[N]", kMs});
}

TEST_CASE("Quantized windows", "[contrib]") {
  RULE_CASES(
      {"QLinearConv, channels last", "QLinearConv channels_last=1",
       "u8[N,H,W,3] f32[] u8[] i8[8,3,2,2] f32[] i8[] f32[] u8[]", "u8[N,H - 1,W - 1,8]", kMs},
      {"QLinearConv", "QLinearConv", "u8[N,3,L] f32[] u8[] i8[8,3,2] f32[] i8[] f32[] u8[]",
       "u8[N,8,L - 1]", kMs},
      {"bad C2", "QLinearConv", "u8[N,3,L] f32[] u8[] i8[8,4,2] f32[] i8[] f32[] u8[]",
       error("SHP105 C2"), kMs},
      {"pool", "QLinearAveragePool kernel_shape=[2, 2] strides=[2, 2]",
       "u8[N,C,H,W] f32[] u8[] f32[] u8[]", "u8[N,C,H//2,W//2]", kMs},
      {"pool, channels last",
       "QLinearAveragePool kernel_shape=[2, 2] strides=[2, 2] channels_last=1 ceil_mode=1",
       "u8[N,9,9,C] f32[] u8[] f32[] u8[]", "u8[N,5,5,C]", kMs},
      {"bad C1 of a pool", "QLinearAveragePool kernel_shape=[2]", "u8[N,C] f32[] u8[]",
       error("SHP103 C1"), kMs},
      {"bad W1 of a pool", "QLinearAveragePool kernel_shape=[2]", "u8[N,C,H,W] f32[] u8[]",
       error("SHP106 W1"), kMs},
      {"global pool", "QLinearGlobalAveragePool", "u8[N,C,H,W] f32[] u8[]", "u8[N,C,1,1]", kMs},
      {"global pool, channels last", "QLinearGlobalAveragePool channels_last=1",
       "u8[N,H,W,C] f32[] u8[]", "u8[N,1,1,C]", kMs},
      {"bad C1 of a global pool", "QLinearGlobalAveragePool", "u8[N,C] f32[] u8[]",
       error("SHP103 C1"), kMs},
      {"LSTM", "DynamicQuantizeLSTM hidden_size=5", "f32[S,B,I] i8[1,I,20] i8[1,5,20]",
       "f32[S,1,B,5] f32[1,B,5] f32[1,B,5]", kMs},
      {"bad C1 of LSTM", "DynamicQuantizeLSTM hidden_size=5", "f32[B,I] i8[1,I,20] i8[1,5,20]",
       error("SHP103 C1"), kMs},
      {"bad C2 of LSTM", "DynamicQuantizeLSTM hidden_size=5", "f32[S,B,3] i8[1,4,20] i8[1,5,20]",
       error("SHP105 C2"), kMs});
}

}  // namespace onnx_shapes::test
