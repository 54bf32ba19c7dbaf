// Decoders of language models, of ONNX Runtime.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Gates and rotations", "[contrib]") {
  RULE_CASES(
      {"SwiGLU", "SwiGLU", "f16[B,S,H] f16[B,S,H]", "f16[B,S,H]", kMs},
      {"both halves in one", "SwiGLU", "f16[B,S,12]", "f16[B,S,6]", kMs},
      {"symbolic halves", "SwiGLU", "f16[B,2*H]", "f16[B,H]", kMs},
      {"bad C1", "SwiGLU", "f16[]", error("SHP103 C1"), kMs},
      {"GemmaRotaryEmbedding", "GemmaRotaryEmbedding",
       "f32[B,S,D] f16[B,8,S,D] f16[B,8,S,D] f16[B,1,S,D] f16[B,1,S,D]",
       "f16[B,8,S,D] f16[B,1,S,D]", kMs},
      {"bad C1 of Gemma", "GemmaRotaryEmbedding", "f32[B,S,D] f16[S,D]", error("SHP103 C1"), kMs},
      {"RMSNormRotary", "RMSNormRotary rotary_embedding_dim=2",
       "bf16[B,S,4,8] f32[8] i64[1] f32[L,1] f32[L,1]", "bf16[B,S,32] f32[B,S,4,8]", kMs},
      {"a slice of the heads", "RMSNormRotary rotary_embedding_dim=2 input_width=6 output_fp16=1",
       "bf16[B,S,4,8] f32[6]", "f16[B,S,24] f32[B,S,4,6]", kMs},
      {"one batch", "RMSNormRotary rotary_embedding_dim=2 flatten_batch=1", "bf16[B,S,4,8] f32[8]",
       "bf16[1,B*S,32]", kMs},
      {"bad C1 of RMSNormRotary", "RMSNormRotary rotary_embedding_dim=2", "bf16[B,S,32]",
       error("SHP103 C1"), kMs},
      {"LinearAttentionGate", "LinearAttentionGate", "f16[B,T,H] f32[H] f32[H] f16[B,T,H]",
       "f16[B,T,H] f16[B,T,H]", kMs},
      {"bad C1 of the gate", "LinearAttentionGate", "f16[T,H] f32[H] f32[H]", error("SHP103 C1"),
       kMs},
      {"EngramGate", "EngramGate", "f16[B,S,4,H] f16[B,S,4,H] f16[B,S,H] f16[4,H] f16[4,H]",
       "f16[B,S,4,H] f16[B,S,4,H]", kMs},
      {"bad C1 of EngramGate", "EngramGate", "f16[B,S,H]", error("SHP103 C1"), kMs});
}

TEST_CASE("Linear attention", "[contrib]") {
  RULE_CASES(
      {"LinearAttention", "LinearAttention q_num_heads=4 kv_num_heads=2",
       "f32[B,T,12] f32[B,T,6] f32[B,T,10] f32[B,2,3,5]", "f32[B,T,20] f32[B,2,3,5]", kMs},
      {"more heads of values", "LinearAttention q_num_heads=2 kv_num_heads=4",
       "f16[B,T,6] f16[B,T,12] f16[B,T,20] f32[B,4,3,5]", "f16[B,T,20] f32[B,4,3,5]", kMs},
      {"a window of states", "LinearAttention q_num_heads=2 kv_num_heads=2 state_window=3",
       "f32[B,T,6] f32[B,T,6] f32[B,T,10] f32[3,B,2,3,5]", "f32[B,T,10] f32[3,B,2,3,5]", kMs},
      {"what query does not say", "LinearAttention q_num_heads=2 kv_num_heads=2",
       "f32? f32[B,T,6] f32[B,T,10] f32[B,2,3,5]", "f32[B,T,10] f32[B,2,3,5]", kMs},
      {"bad C1", "LinearAttention q_num_heads=2 kv_num_heads=2",
       "f32[B,2,T,3] f32[B,T,6] f32[B,T,6]", error("SHP103 C1"), kMs},
      {"bad C2", "LinearAttention q_num_heads=2", "f32[B,T,6] f32[B,T,6] f32[B,T,6]",
       error("SHP106 C2"), kMs},
      {"bad C3", "LinearAttention q_num_heads=2 kv_num_heads=2", "f32[B,4,6] f32[B,5,6] f32[B,5,6]",
       error("SHP105 C3"), kMs},
      {"GatedDeltaNet", "GatedDeltaNet", "f16[L,2,K] f16[L,2,K] f16[L,4,V] - - - f32[B,4,V,K]",
       "f16[L,4,V] f32[B,4,V,K]", kMs},
      {"batches", "GatedDeltaNet", "f16[B,S,2,K] f16[B,S,2,K] f16[B,S,4,V]", "f16[B,S,4,V]", kMs},
      {"packed", "GatedDeltaNet", "f16[L,W] - - - - - f32[B,4,V,K]", "f16[L,4,V] f32[B,4,V,K]",
       kMs},
      {"bad C1 of GatedDeltaNet", "GatedDeltaNet", "f16[L,6] f16[L,2,K] f16[L,4,V]",
       error("SHP103 C1"), kMs},
      {"bad C2 of GatedDeltaNet", "GatedDeltaNet", "f16[L,W] - - - - - f32[4,V,K]",
       error("SHP103 C2"), kMs});
}

TEST_CASE("Convolutions with a state", "[contrib]") {
  RULE_CASES(
      {"one axis", "CausalConvWithState", "f32[N,C,L] f32[C,1,4]", "f32[N,C,L] f32[N,C,3]", kMs},
      {"dilated", "CausalConvWithState dilation=2", "f32[N,C,L] f32[C,1,4]",
       "f32[N,C,L] f32[N,C,6]", kMs},
      {"like the past", "CausalConvWithState", "f32[N,C,L] f32[C,1,K] - f32[N,C,P]",
       "f32[N,C,L] f32[N,C,P]", kMs},
      {"channels last", "CausalConvWithState channels_last=1", "f32[N,L,A,B] f32[C,1,4]",
       "f32[N,L,A,B] f32[N,3,A,B]", kMs},
      {"a state of its own layout", "CausalConvWithState state_channels_last=1 state_length=7",
       "f32[N,C,L] f32[C,1,4]", "f32[N,C,L] f32[N,7,C]", kMs},
      {"the other way round", "CausalConvWithState channels_last=1 state_channels_last=0",
       "f32[N,L,C] f32[C,1,4]", "f32[N,L,C] f32[N,C,3]", kMs},
      {"selected channels",
       "CausalConvWithState channels_last=1 input_channels=5 state_update_capacity=2",
       "f32[N,L,C] f32[5,1,4]", "f32[N,L,5] f32[N,3,5] f32[N,2,5]", kMs},
      {"a window", "CausalConvWithState state_window=2", "f32[N,C,L] f32[C,1,4]",
       "f32[N,C,L] f32[2,N,C,3]", kMs},
      {"two axes", "CausalConvWithState ndim=2", "f32[N,C,H,W] f32[C,1,3,3]", "f32[N,C,H,W] f32?",
       kMs},
      {"bad C1", "CausalConvWithState", "f32[C,L] f32[C,1,4]", error("SHP103 C1"), kMs},
      {"requests", "VarlenCausalConvWithState state_update_capacity=2",
       "f32[T,C] f32[C,1,4] i32[L] - f32[B,C,3]", "f32[T,C] f32[B,C,3] f32[B,2,C]", kMs},
      {"bad C1 of requests", "VarlenCausalConvWithState", "f32[T,C] f32[C,1,4] i32[L] - f32[C,3]",
       error("SHP103 C1"), kMs});
}

TEST_CASE("Indexers of sparse attention", "[contrib]") {
  const std::string qsa = " policy_mode=\"qsa\" token_budget=8 compress_ratio=4";
  const std::string csa = " policy_mode=\"csa\" index_topk=5 compress_ratio=4";
  RULE_CASES(
      {"tokens", "SparseAttentionIndexer" + qsa,
       "f32[B,S,W] f32[B,S,D] f32[D] f32[D] - - - f32[B,P,D]", "i32[B,S,11] f32[B,P + S,D]", kMs},
      {"a buffer", "SparseAttentionIndexer" + qsa,
       "f32[B,S,W] f32[B,S,D] f32[D] f32[D] - - - f32[B,P,D] - - - - i32[1]",
       "i32[B,S,11] f32[B,P,D]", kMs},
      {"blocks", "SparseAttentionIndexer" + csa,
       "f32[B,S,W] f32[B,S,2*D] f32[D] f32[D] - - - f32[B,P,D]",
       "i32[B,S,5] f32[B,?,D] f32[?,?,?,?]", kMs},
      {"bad C1", "SparseAttentionIndexer" + qsa, "f32[S,W]", error("SHP103 C1"), kMs},
      {"packed tokens", "PackedSparseAttentionIndexer state_capacity=9" + qsa,
       "f32[T,W] - - - - - - - - - - - f32[B,9,D] f32[B,7,D] - i32[B,2]",
       "i32[T,11] i32[T] f32[B,9,D] f32[B,7,D] - i32[B,2] f32[B,0,D] i32[T] i32[B]", kMs},
      {"packed blocks", "PackedSparseAttentionIndexer state_capacity=9" + csa, "f32[T,W]",
       "i32[T,5]", kMs},
      {"bad C1 of packed tokens", "PackedSparseAttentionIndexer state_capacity=9" + qsa,
       "f32[B,T,W]", error("SHP103 C1"), kMs},
      {"merged",
       "PackedSparseAttentionIndexerMerge max_output_entries=6 policy_mode=\"append_range\"",
       "i32[R,C] i32[R] i32[N]", "i32[N,6] i32[N] i32[N]", kMs},
      {"bad C1 of merged",
       "PackedSparseAttentionIndexerMerge max_output_entries=6 policy_mode=\"append_range\"",
       "i32[R,C] i32[R] i32[N,1]", error("SHP103 C1"), kMs});
}

TEST_CASE("Streams, routers and hashes", "[contrib]") {
  RULE_CASES(
      {"grouped streams", "HyperConnectionPreMix", "f32[B,S,4,H] f32[B,S,4]", "f32[B,S,H]", kMs},
      {"flat streams", "HyperConnectionPreMix num_branches=4", "f32[B,S,4*H] f32[B,S,4]",
       "f32[B,S,H]", kMs},
      {"bad C1", "HyperConnectionPreMix", "f32[H] f32[1]", error("SHP103 C1"), kMs},
      {"mixed back", "HyperConnectionPostMix", "f32[B,S,4,H] f32[B,S,H] f32[B,S,4]", "f32[B,S,4,H]",
       kMs},
      {"a low rank", "HyperConnectionLowRankMix num_branches=4", "f32[B,S,4*H] f32[4*H] f32[4*H,R]",
       "f32[B,S,H] f32[B,S,4] f32[B,S,4*H]", kMs},
      {"bad C1 of a low rank", "HyperConnectionLowRankMix num_branches=4", "f32[]",
       error("SHP103 C1"), kMs},
      {"bad C2 of a low rank", "HyperConnectionLowRankMix", "f32[B,S,H]", error("SHP106 C2"), kMs},
      {"MoEGroupRouter", "MoEGroupRouter top_k=2", "f16[B,S,E] f32[E]", "f16[B*S,E]", kMs},
      {"full scores", "MoEGroupRouter top_k=2", "f16[T,W] f32[E] f16[E,W]", "- f32[T,E] f32[T,E]",
       kMs},
      {"bad C1 of the router", "MoEGroupRouter top_k=2", "f16[T,E] f32[E,1]", error("SHP103 C1"),
       kMs},
      {"NGramHashMapping", "NGramHashMapping max_ngram_size=3 n_head_per_ngram=4 pad_id=0",
       "i64[B,S] i64[3] i64[8]", "i64[B,S,8] i64[B,2]", kMs},
      {"bad C1 of hashes", "NGramHashMapping max_ngram_size=3 n_head_per_ngram=4 pad_id=0",
       "i64[S]", error("SHP103 C1"), kMs},
      {"bad C2 of hashes", "NGramHashMapping max_ngram_size=3 pad_id=0", "i64[B,S]",
       error("SHP106 C2"), kMs},
      {"hashes of requests",
       "VarlenNGramHashMapping max_ngram_size=3 n_head_per_ngram=4 pad_id=0 "
       "state_update_capacity=2",
       "i64[T] i64[3] i64[8] i32[B + 1]", "i64[T,8] i64[B,2] i32[B,2] i64[B,2,2]", kMs},
      {"bad C1 of requests", "VarlenNGramHashMapping max_ngram_size=3 n_head_per_ngram=4 pad_id=0",
       "i64[B,T] i64[3] i64[8] i32[L]", error("SHP103 C1"), kMs},
      {"bad C2 of requests", "VarlenNGramHashMapping max_ngram_size=3 pad_id=0",
       "i64[T] i64[3] i64[8] i32[L]", error("SHP106 C2"), kMs});
}

}  // namespace onnx_shapes::test
