// ONNX Runtime's own operators.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Fused products", "[contrib]") {
  RULE_CASES({"FusedMatMul", "FusedMatMul alpha=0.5", "f32[B,M,K] f32[B,K,N]", "f32[B,M,N]", kMs},
             {"transB", "FusedMatMul transB=1", "f32[B,H,M,K] f32[B,H,N,K]", "f32[B,H,M,N]", kMs},
             {"transA", "FusedMatMul transA=1", "f32[K,M] f32[B,K,N]", "f32[B,M,N]", kMs},
             {"transA of a vector", "FusedMatMul transA=1", "f32[K] f32[K,N]", "f32[N]", kMs},
             {"transBatchA", "FusedMatMul transBatchA=1", "f32[M,B,H,K] f32[B,H,K,N]",
              "f32[B,H,M,N]", kMs},
             {"transBatchB and transB", "FusedMatMul transB=1 transBatchB=1",
              "f32[B,H,M,K] f32[N,B,H,K]", "f32[B,H,M,N]", kMs},
             {"unknown rank", "FusedMatMul transA=1", "f32? f32[K,N]", "f32?", kMs},
             {"bad C2", "FusedMatMul transB=1", "f32[2,3] f32[3,4]", error("SHP105 C2"), kMs},
             {"bad T1", "FusedMatMul", "f32[2,3] f64[3,4]", error("SHP102 T1"), kMs},
             {"FusedGemm", "FusedGemm transB=1 activation=\"Relu\"", "f32[M,K] f32[N,K] f32[N]",
              "f32[M,N]", kMs},
             {"bad C1 of FusedGemm", "FusedGemm", "f32[B,M,K] f32[K,N]", error("SHP103 C1"), kMs},
             {"bad C2 of FusedGemm", "FusedGemm", "f32[2,3] f32[4,5]", error("SHP105 C2"), kMs},
             {"GemmFastGelu", "GemmFastGelu", "f32[B,M,K] f32[K,N] f32[N]", "f32[B,M,N]", kMs});
}

TEST_CASE("Fused convolutions", "[contrib]") {
  RULE_CASES({"FusedConv", "FusedConv pads=[1, 1] activation=\"Relu\"",
              "f32[N,3,L] f32[8,3,3] f32[8] f32[N,8,L]", "f32[N,8,L]", kMs},
             {"bad T1", "FusedConv", "f32[N,3,L] f64[8,3,3]", error("SHP102 T1"), kMs},
             {"NhwcConv", "NhwcConv strides=[2, 2]", "f16[N,H,W,3] f16[8,3,2,2]",
              "f16[N,H//2,W//2,8]", kMs},
             {"NhwcConv of unknown rank", "NhwcConv", "f16? f16[8,3,2,2]", "f16[?,?,?,8]", kMs},
             {"bad C2", "NhwcConv", "f16[N,H,W,4] f16[8,3,2,2]", error("SHP105 C2"), kMs});
}

TEST_CASE("Fused activations and normalizations", "[contrib]") {
  RULE_CASES(
      {"Gelu", "Gelu", "f32[N,C]", "f32[N,C]", kMs},
      {"ScaledSiLU", "ScaledSiLU", "bf16[N,C] f32[]", "bf16[N,C]", kMs},
      {"GatedAdd", "GatedAdd", "f32[B,S,H] f32[B,S,H] f32[B,S,1]", "f32[B,S,H]", kMs},
      {"GatedRMSNorm", "GatedRMSNorm", "f32[B,T,8] f32[2] f32[B,T,8]", "f32[B,T,8]", kMs},
      {"BranchwiseRMSNorm", "BranchwiseRMSNorm num_branches=2", "f32[B,8] f32[4]", "f32[B,8]", kMs},
      {"MoEPacked", "MoEPacked gate_type=1 down_type=1", "f16[B,S,H] f32[T,E]", "f16[B,S,H]", kMs},
      {"bad T1 of Gelu", "QuickGelu", "i32[N]", error("SHP102 T1"), kMs},
      {"BiasGelu", "BiasGelu", "f32[B,S,H] f32[H]", "f32[B,S,H]", kMs},
      {"bad C1 of BiasGelu", "BiasGelu", "f32[B,S,4] f32[3]", error("SHP105 C1"), kMs},
      {"FastGelu without bias", "FastGelu", "f32[B,S,H]", "f32[B,S,H]", kMs},
      {"BiasDropout", "BiasDropout", "f32[B,H] f32[H]", "f32[B,H] bool[B,H]", kMs},
      {"BiasSplitGelu", "BiasSplitGelu", "f32[B,S,10] f32[10]", "f32[B,S,5]", kMs},
      {"bad C1 of BiasSplitGelu", "BiasSplitGelu", "f32[S,10] f32[10]", error("SHP103 C1"), kMs},
      {"bad C2 of BiasSplitGelu", "BiasSplitGelu", "f32[B,S,10] f32[8]", error("SHP105 C2"), kMs},
      {"bad T1 of BiasSplitGelu", "BiasSplitGelu", "i32[B,S,10] i32[10]", error("SHP102 T1"), kMs},
      {"skip", "SkipLayerNormalization", "f32[B,S,H] f32[B,S,H] f32[H] f32[H]",
       "f32[B,S,H] f32[B,S,1] f32[B,S,1] f32[B,S,H]", kMs},
      {"skip, simplified", "SkipSimplifiedLayerNormalization", "f16[B,S,H] f16[S,H] f16[H]",
       "f16[B,S,H] - - f16[B,S,H]", kMs},
      {"C3 gamma says the size", "SkipLayerNormalization", "f32[B,S,H] f32[B,S,H] f32[8]",
       "f32[B,S,8]", facts("H == 8"), kMs},
      {"bad C1 of skip", "SkipLayerNormalization", "f32[H] f32[H] f32[H]", error("SHP103 C1"), kMs},
      {"bad C2 of skip", "SkipLayerNormalization", "f32[B,4,8] f32[B,5,8] f32[8]",
       error("SHP105 C2"), kMs},
      {"bad C3 of skip", "SkipLayerNormalization", "f32[B,4,8] f32[B,4,8] f32[7]",
       error("SHP105 C3"), kMs},
      {"bad T1 of skip", "SkipLayerNormalization", "f32[B,4,8] f16[B,4,8] f32[8]",
       error("SHP102 T1"), kMs},
      {"GroupNorm", "GroupNorm groups=2", "f16[N,H,W,C] f32[C] f32[C]", "f16[N,H,W,C]", kMs},
      {"bad C1 of GroupNorm", "GroupNorm groups=2", "f16[N,C] f32[C] f32[C]", error("SHP103 C1"),
       kMs},
      {"embeddings", "EmbedLayerNormalization",
       "i32[B,S] i32[B,S] f32[V,H] f32[P,H] f32[T,H] f32[H] f32[H]", "f32[B,S,H] i32[B] f32[B,S,H]",
       kMs},
      {"quantized embeddings", "QEmbedLayerNormalization",
       "i32[B,S] i32[B,S] u8[V,H] u8[P,H] u8[T,H] u8[H] u8[H] - f32[] f32[]", "f32[B,S,H] i32[B]",
       kMs},
      {"bad C1 of embeddings", "EmbedLayerNormalization",
       "i32[S] i32[S] f32[V,H] f32[P,H] f32[T,H] f32[H] f32[H]", error("SHP103 C1"), kMs},
      {"bad C2 of embeddings", "EmbedLayerNormalization",
       "i32[B,S] i32[B,S] f32[H] f32[P,H] f32[T,H] f32[H] f32[H]", error("SHP103 C2"), kMs});
}

TEST_CASE("Other operators of ONNX Runtime", "[contrib]") {
  RULE_CASES(
      {"Inverse", "Inverse", "f32[B,N,M]", "f32[B,M,M]", facts("N == M"), kMs},
      {"bad C1 of Inverse", "Inverse", "f32[N]", error("SHP103 C1"), kMs},
      {"bad C2 of Inverse", "Inverse", "f32[2,3]", error("SHP105 C2"), kMs},
      {"Trilu", "Trilu", "i64[B,N,M]", "i64[B,N,M]", kMs},
      {"bad C1 of Trilu", "Trilu", "i64[N]", error("SHP103 C1"), kMs},
      {"Unique", "Unique", "f32[N]", "f32[Unique_y0_n] i64[N] i64[Unique_y0_n]",
       bounds("Unique_y0_n <= N"), kMs},
      {"bad C1 of Unique", "Unique", "f32[N,M]", error("SHP103 C1"), kMs},
      {"ExpandDims", "ExpandDims", "f32[N,M] i32[]{-1}", "f32[N,M,1]", kMs},
      {"ExpandDims of unknown axis", "ExpandDims", "f32[N,M] i32[]", "f32[?,?,?]", kMs},
      {"bad C1 of ExpandDims", "ExpandDims", "f32[N,M] i32[]{4}", error("SHP107 C1"), kMs},
      {"CropAndResize", "CropAndResize", "f32[N,C,H,W] f32[R,4] i32[R] i32[2]{5,S}", "f32[R,C,5,S]",
       kMs},
      {"bad C1 of CropAndResize", "CropAndResize", "f32[C,H,W] f32[R,4] i32[R] i32[2]{5,5}",
       error("SHP103 C1"), kMs},
      {"bad C2 of CropAndResize", "CropAndResize", "f32[N,C,H,W] f32[R,5] i32[R] i32[2]{5,5}",
       error("SHP105 C2"), kMs},
      {"bad C3 of CropAndResize", "CropAndResize", "f32[N,C,H,W] f32[R,4] i32[R] i32[1]{5}",
       error("SHP104 C3"), kMs},
      {"GridSample", "GridSample", "f32[N,C,H,W] f32[M,P,Q,2]", "f32[N,C,P,Q]", facts("N == M"),
       kMs},
      {"bad C1 of GridSample", "GridSample", "f32[N,C,H,W] f32[M,P,2]", error("SHP103 C1"), kMs},
      {"bad C2 of GridSample", "GridSample", "f32[1,C,H,W] f32[2,P,Q,2]", error("SHP105 C2"), kMs},
      {"bad C3 of GridSample", "GridSample", "f32[N,C,H,W] f32[N,P,Q,3]", error("SHP105 C3"), kMs},
      {"Tokenizer", "Tokenizer pad_value=\"#\" mark=0", "str[N,C]", "str[N,C,Tokenizer_y0_tokens]",
       kMs},
      {"bad C1 of Tokenizer", "Tokenizer", "str[N,C,1]", error("SHP103 C1"), kMs},
      {"bad T1 of Tokenizer", "Tokenizer", "f32[N]", error("SHP102 T1"), kMs},
      {"BifurcationDetector", "BifurcationDetector", "i64[N] i64[M] i64[] i64[K]",
       "i64[BifurcationDetector_y0_tokens] i64[]", kMs},
      {"CDist", "CDist", "f32[M,K] f32[N,L]", "f32[M,N]", facts("K == L"), kMs},
      {"bad C1 of CDist", "CDist", "f32[M] f32[N,L]", error("SHP103 C1"), kMs},
      {"bad C2 of CDist", "CDist", "f32[M,2] f32[N,3]", error("SHP105 C2"), kMs},
      {"IsAllFinite", "IsAllFinite", "f32[N] f32[M]", "bool[]", kMs},
      {"TorchEmbedding", "TorchEmbedding", "f32[V,D] i64[B,S]", "f32[B,S,D]", kMs},
      {"bad C1 of TorchEmbedding", "TorchEmbedding", "f32[V] i64[B]", error("SHP103 C1"), kMs});
}

}  // namespace onnx_shapes::test
