// Text generation in ONNX Runtime's own domain.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Text generation", "[contrib]") {
  RULE_CASES(
      {"hashes", "MurmurHash3", "i32[N,M]", "u32[N,M]", kMs},
      {"signed hashes", "MurmurHash3 positive=0", "str[N]", "i32[N]", kMs},
      {"relative positions", "RelativePositionBias max_distance=8", "f32[32,H] i64[1]{N} i64[1]{7}",
       "f32[1,H,N,7]", kMs},
      {"bad C1 of relative positions", "RelativePositionBias max_distance=8",
       "f32[32] i64[1]{N} i64[1]{7}", error("SHP103 C1"), kMs},
      {"gated positions", "GatedRelativePositionBias num_heads=4", "f32[B,S,H]", "f32[B,4,S,S]",
       kMs},
      {"gated positions of tokens", "GatedRelativePositionBias num_heads=4",
       "f32[T,H] f32[H] f32[1,4,S,S] f32[2,8] f32[8] f32[1,4,1,1] i32[B,S]", "f32[B,4,S,S]", kMs},
      {"bad C1 of gated positions", "GatedRelativePositionBias num_heads=4", "f32[T,H]",
       error("SHP103 C1"), kMs},
      {"bad C2 of gated positions", "GatedRelativePositionBias", "f32[B,S,H]", error("SHP106 C2"),
       kMs},
      {"padding removed", "RemovePadding", "f32[B,S,H] i32[B]",
       "f32[RemovePadding_y0_tokens,H] i32[B,S] i32[B + 1] i32[1]",
       bounds("RemovePadding_y0_tokens <= B*S"), kMs},
      {"bad C1 of removed padding", "RemovePadding", "f32[B,S] i32[B]", error("SHP103 C1"), kMs},
      {"padding restored", "RestorePadding", "f32[T,H] i32[B,S]", "f32[B,S,H]", kMs},
      {"bad C1 of restored padding", "RestorePadding", "f32[T,H] i32[B]", error("SHP103 C1"), kMs},
      {"n-grams", "NGramRepeatBlock ngram_size=2", "i64[B,S] f32[C,V]", "f32[C,V]", facts("B == C"),
       kMs},
      {"bad C1 of n-grams", "NGramRepeatBlock ngram_size=2", "i64[S] f32[B,V]", error("SHP103 C1"),
       kMs},
      {"bad C2 of n-grams", "NGramRepeatBlock ngram_size=2", "i64[2,S] f32[3,V]",
       error("SHP105 C2"), kMs},
      {"time warping", "DynamicTimeWarping", "f32[1,M,N]", "i32[2,DynamicTimeWarping_y0_steps]",
       kMs},
      {"bad C1 of time warping", "DynamicTimeWarping", "f32[N]", error("SHP103 C1"), kMs},
      {"words", "WordConvEmbedding", "i32[N,C] f32[F,1,2,E] f32[F] f32[V,E]", "f32[N,F]", kMs},
      {"beam search", "BeamSearch eos_token_id=2 pad_token_id=1",
       "i32[B,S] i32[1]{20} - i32[1]{4} i32[1]{2}", "i32[B,2,20] f32[B,2] f32[?,?,?,?]", kMs},
      {"beam search of unknown rank", "WhisperBeamSearch eos_token_id=2 pad_token_id=1",
       "f32? i32[1]{N} - i32[1] i32[1]", "i32[?,?,N]", kMs},
      {"bad C1 of beam search", "BeamSearch", "i32[S] i32[1]{20} - i32[1]{4} i32[1]{2}",
       error("SHP103 C1"), kMs},
      {"greedy search", "GreedySearch eos_token_id=2 pad_token_id=1", "i32[B,S] i32[1]{20}",
       "i32[B,20]", kMs},
      {"bad C1 of greedy search", "Sampling", "i32[S] i32[1]{20}", error("SHP103 C1"), kMs},
      {"bad C1 of words", "WordConvEmbedding", "i32[] f32[F,1,2,E]", error("SHP103 C1"), kMs});
}

}  // namespace onnx_shapes::test
