// Products with packed weights, and tensors in layouts of their own, of ONNX Runtime.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Products with packed weights", "[contrib]") {
  RULE_CASES(
      {"with an adapter", "MatMulNBitsQLoRA K=6 N=5", "f16[B,S,6] u8[5,1,16] f16[5,1]",
       "f16[B,S,5]", kMs},
      {"packed", "MatMulPacked K=6 N=5 packed_type=1", "f16[6] u8[5,9]", "f16[5]", kMs},
      {"two in one", "MatMulNBitsMlp K=6 N=5 block_size=32 activation=\"silu\"",
       "f32[B,S,K] f32[B,S,6] f32[6]", "f32[B,S,5] f32[B,S,K]", facts("K == 6"), kMs},
      {"three in one", "MatMulNBitsQkv K=6 Nq=8 Nkv=2 block_size=32",
       "f32[B,S,6] f32[B,S,6] f32[6]", "f32[B,S,8] f32[B,S,2] f32[B,S,2] f32[B,S,6]", kMs},
      {"of unknown rank", "MatMulPacked K=6 N=5 packed_type=1", "f16? u8[5,9]", "f16?", kMs},
      {"bad C1", "MatMulPacked K=6 N=5 packed_type=1", "f16[] u8[5,9]", error("SHP103 C1"), kMs},
      {"bad C2", "MatMulNBitsQLoRA K=6 N=5", "f16[B,S,7]", error("SHP105 C2"), kMs},
      {"bad C3", "MatMulPacked N=5 packed_type=1", "f16[6] u8[5,9]", error("SHP106 C3"), kMs},
      {"bad C3 of the columns", "MatMulNBitsQkv K=6 Nq=8 block_size=32", "f32[B,S,6] - f32[6]",
       error("SHP106 C3"), kMs},
      {"blocks of 4 bits", "MatMulBlockQuantizedFp4Weight", "f16[B,S,6] u8[N,3]", "f16[B,S,N]",
       kMs},
      {"blocks of 8 bits", "MatMulBlockQuantizedFp8Weight", "bf16[B,6] f8e4m3fn[N,6]", "bf16[B,N]",
       kMs},
      {"bad C1 of blocks", "MatMulBlockQuantizedFp8Weight", "bf16[] f8e4m3fn[N,6]",
       error("SHP103 C1"), kMs},
      {"bad C2 of blocks", "MatMulBlockQuantizedFp4Weight", "f16[B,6] u8[N]", error("SHP103 C2"),
       kMs},
      {"a given shape", "MatMulFpQ4", "f32[B,M,K] u8[L] i64[2]{K,N}", "f32[B,M,N]", kMs},
      {"a shape that a run gives", "MatMulFpQ4", "f32[B,M,K] u8[L] i64[2]", "f32[B,M,?]", kMs},
      {"bad C2 of a given shape", "MatMulFpQ4", "f32[M,3] u8[L] i64[2]{4,5}", error("SHP105 C2"),
       kMs},
      {"bad C4", "MatMulFpQ4", "f32[M,3] u8[L] i64[3]{1,4,5}", error("SHP105 C4"), kMs},
      {"GemmFloat8", "GemmFloat8 transB=1 dtype=16", "f8e4m3fn[M,K] f8e4m3fn[N,K]", "bf16[M,N]",
       kMs},
      {"GemmFloat8 by default", "GemmFloat8", "f16[M,K] f16[K,N]", "f32[M,N]", kMs},
      {"bad C1 of GemmFloat8", "GemmFloat8", "f16[K] f16[K,N]", error("SHP103 C1"), kMs},
      {"bad C2 of GemmFloat8", "GemmFloat8", "f16[M,3] f16[4,N]", error("SHP105 C2"), kMs},
      {"a router and a gate", "RouterGateUpProj router_size=4", "f16[B,S,K] f16[K,16]",
       "f16[B,S,4] f16[B,S,6]", kMs},
      {"bad C1 of the router", "RouterGateUpProj router_size=4", "f16[] f16[K,16]",
       error("SHP103 C1"), kMs},
      {"bad C2 of the router", "RouterGateUpProj router_size=4", "f16[S,5] f16[6,16]",
       error("SHP105 C2"), kMs},
      {"bad C3 of the router", "RouterGateUpProj", "f16[S,6] f16[6,16]", error("SHP106 C3"), kMs},
      {"rows of a packed table", "GatherPacked K=8 packed_type=1", "u8[V,9] i64[B,S]",
       "bf16[B,S,8]", kMs},
      {"rows of a type", "GatherPacked K=8 packed_type=1 output_dtype=1", "u8[V,9] i32[]", "f32[8]",
       kMs},
      {"bad C3 of rows", "GatherPacked packed_type=1", "u8[V,9] i64[B,S]", error("SHP106 C3"),
       kMs});
}

TEST_CASE("Tensors in the layouts of cublasLt", "[contrib]") {
  RULE_CASES(
      {"QuantizeWithOrder", "QuantizeWithOrder order_input=1 order_output=1", "f32[B,S,H] f32[]",
       "i8[B,S,H]", kMs},
      {"DequantizeWithOrder", "DequantizeWithOrder order_input=1 order_output=1 to=10",
       "i8[B,S,H] f32[]", "f16[B,S,H]", kMs},
      {"of the scale's type", "DequantizeWithOrder order_input=1 order_output=1", "i8[B,S,H] f16[]",
       "f16[B,S,H]", kMs},
      {"QOrderedGelu", "QOrderedGelu", "i8[B,S,H] f32[] f32[]", "i8[B,S,H]", kMs},
      {"QOrderedLayerNormalization", "QOrderedLayerNormalization",
       "i8[B,S,H] f32[] f32[H] f32[H] f32[]", "i8[B,S,H]", kMs},
      {"QOrderedMatMul", "QOrderedMatMul order_A=1 order_B=0 order_Y=1",
       "i8[B,M,K] f32[] i8[K,N] f32[] f32[]", "i8[B,M,N]", kMs},
      {"bad C2 of QOrderedMatMul", "QOrderedMatMul order_A=1 order_B=0 order_Y=1",
       "i8[B,M,3] f32[] i8[4,N] f32[] f32[]", error("SHP105 C2"), kMs},
      {"QuantizeBFP", "QuantizeBFP bfp_type=1", "f32[N,3]", "u8[?] i64[2]{N,3} i64[2]", kMs},
      {"DequantizeBFP", "DequantizeBFP bfp_type=1", "u8[L] i64[2]{N,3} i64[2]", "f32[N,3]", kMs},
      {"of another type", "DequantizeBFP bfp_type=1 dtype=10", "u8[L] i64[2] i64[2]", "f16[?,?]",
       kMs},
      {"bad C1 of DequantizeBFP", "DequantizeBFP bfp_type=1", "u8[L] i64[2,1] i64[2]",
       error("SHP103 C1"), kMs});
}

}  // namespace onnx_shapes::test
