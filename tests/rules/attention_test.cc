// Attention and rotary embeddings.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {

TEST_CASE("Attention", "[attention]") {
  RULE_CASES(
      {"rank 4", "Attention", "f32[B,H,S,D] f32[B,K,T,D] f32[B,K,T,E]",
       "f32[B,H,S,E] f32[B,K,T,D] f32[B,K,T,E] f32[B,H,S,T]"},
      {"rank 3", "Attention q_num_heads=8 kv_num_heads=2", "f32[B,S,64] f32[B,T,16] f32[B,T,20]",
       "f32[B,S,80] f32[B,2,T,8] f32[B,2,T,10] f32[B,8,S,T]"},
      {"rank 3 with as many heads", "Attention q_num_heads=4 kv_num_heads=4",
       "f32[B,S,D] f32[B,T,D] f32[B,T,E]", "f32[B,S,E]"},
      {"a cache", "Attention",
       "f32[B,8,S,64] f32[B,2,S,64] f32[B,2,S,64] - f32[B,2,P,64] "
       "f32[B,2,P,64]",
       "f32[B,8,S,64] f32[B,2,P + S,64] f32[B,2,P + S,64] f32[B,8,S,P + S]"},
      {"C3 to C5", "Attention", "f32[B,H,S,D] f32[C,K,T,E] f32[F,L,U,V]", "f32[B,H,S,V]",
       facts("B == C && B == F && K == L && T == U && D == E")},
      {"C6 the cache says the heads", "Attention",
       "f32[B,H,S,D] f32[B,K,T,D] f32[B,K,T,D] - f32[B,2,P,64] f32?",
       "f32[B,H,S,64] f32[B,2,P + T,64]", facts("K == 2 && D == 64")},
      {"C7 a mask", "Attention", "f32[B,H,S,D] f32[B,H,T,D] f32[B,H,T,D] f32[4,1,7,T]",
       "f32[4,H,7,D]", facts("B == 4 && S == 7")},
      {"unknown ranks", "Attention", "f32? f32? f16?", "f32? f32[?,?,?,?] f16[?,?,?,?]"},
      {"a cache of unknown rank", "Attention", "f32[B,H,S,D] f32[B,K,T,D] f32[B,K,T,E] - f32? f32?",
       "f32[B,H,S,E] f32[B,K,?,D] f32[B,K,?,E] f32[B,H,S,?]"},
      {"bad C1", "Attention", "f32[B,S] f32[B,K,T,D] f32[B,K,T,D]", error("SHP103 C1")},
      {"bad C1 two ranks", "Attention q_num_heads=1 kv_num_heads=1",
       "f32[B,S,D] f32[B,K,T,D] f32[B,K,T,D]", error("SHP103 C1")},
      {"bad C2", "Attention", "f32[B,S,D] f32[B,T,D] f32[B,T,D]", error("SHP106 C2")},
      {"bad C2 counts", "Attention q_num_heads=3 kv_num_heads=2",
       "f32[B,S,D] f32[B,T,D] f32[B,T,D]", error("SHP106 C2")},
      {"bad C3", "Attention", "f32[2,H,S,D] f32[3,K,T,D] f32[3,K,T,D]", error("SHP105 C3")},
      {"bad C4", "Attention", "f32[B,H,S,D] f32[B,K,4,D] f32[B,K,5,D]", error("SHP105 C4")},
      {"bad C5", "Attention", "f32[B,H,S,8] f32[B,K,T,9] f32[B,K,T,9]", error("SHP105 C5")},
      {"bad C6", "Attention", "f32[B,H,S,8] f32[B,K,T,8] f32[B,K,T,8] - f32[B,K,P,9] f32[B,K,P,8]",
       error("SHP105 C6")},
      {"bad C6 rank", "Attention", "f32[B,H,S,8] f32[B,K,T,8] f32[B,K,T,8] - f32[B,P,8] f32[B,P,8]",
       error("SHP103 C6")},
      {"bad C7", "Attention", "f32[B,H,3,8] f32[B,K,T,8] f32[B,K,T,8] f32[4,T]",
       error("SHP105 C7")},
      {"bad T1", "Attention", "f32[B,H,S,D] f64[B,K,T,D] f32[B,K,T,D]", error("SHP102 T1")});
}

TEST_CASE("FlexAttention", "[attention]") {
  RULE_CASES({"the size of V", "FlexAttention", "f32[B,H,S,D] f32[B,K,T,D] f32[B,K,T,E]",
              "f32[B,H,S,E]", domain("ai.onnx.preview")},
             {"unknown rank", "FlexAttention", "f32? f32? f32[B,K,T,E]", "f32[B,?,?,E]",
              domain("ai.onnx.preview")},
             {"bad C1", "FlexAttention", "f32[B,S,D] f32[B,K,T,D] f32[B,K,T,E]", error("SHP103 C1"),
              domain("ai.onnx.preview")},
             {"bad C3", "FlexAttention", "f32[2,H,S,D] f32[3,K,T,D] f32[3,K,T,E]",
              error("SHP105 C3"), domain("ai.onnx.preview")},
             {"bad C4", "FlexAttention", "f32[B,H,S,D] f32[B,2,T,D] f32[B,3,T,E]",
              error("SHP105 C4"), domain("ai.onnx.preview")},
             {"bad C5", "FlexAttention", "f32[B,H,S,7] f32[B,2,T,8] f32[B,2,T,E]",
              error("SHP105 C5"), domain("ai.onnx.preview")},
             {"bad T1", "FlexAttention", "i32[B,H,S,D] i32[B,K,T,D] i32[B,K,T,E]",
              error("SHP102 T1"), domain("ai.onnx.preview")});
}

TEST_CASE("LinearAttention", "[attention]") {
  RULE_CASES({"state", "LinearAttention q_num_heads=4 kv_num_heads=2",
              "f32[B,T,32] f32[B,T,16] f32[B,T,20]", "f32[B,T,40] f32[B,2,8,10]"},
             {"C6 past_state", "LinearAttention q_num_heads=4 kv_num_heads=2",
              "f32[B,T,32] f32[B,T,16] f32[B,T,V] f32[C,2,8,10]", "f32[B,T,40] f32[B,2,8,10]",
              facts("B == C")},
             {"bad C1", "LinearAttention q_num_heads=4 kv_num_heads=2",
              "f32[B,32] f32[B,T,16] f32[B,T,20]", error("SHP103 C1")},
             {"bad C2", "LinearAttention q_num_heads=4 kv_num_heads=3",
              "f32[B,T,32] f32[B,T,24] f32[B,T,24]", error("SHP106 C2")},
             {"bad C3", "LinearAttention q_num_heads=4 kv_num_heads=2",
              "f32[B,5,32] f32[B,6,16] f32[B,6,20]", error("SHP105 C3")},
             {"bad C5", "LinearAttention q_num_heads=4 kv_num_heads=2",
              "f32[B,T,32] f32[B,T,18] f32[B,T,20]", error("SHP105 C5")},
             {"bad C6", "LinearAttention q_num_heads=4 kv_num_heads=2",
              "f32[B,T,32] f32[B,T,16] f32[B,T,20] f32[B,3,8,10]", error("SHP105 C6")},
             {"bad T1", "LinearAttention q_num_heads=1 kv_num_heads=1",
              "i32[B,T,32] i32[B,T,32] i32[B,T,20]", error("SHP102 T1")});
}

TEST_CASE("RotaryEmbedding", "[attention]") {
  RULE_CASES(
      {"rank 4", "RotaryEmbedding", "f32[B,H,S,D] f32[P,E] f32[P,E] i64[B,S]", "f32[B,H,S,D]"},
      {"rank 3", "RotaryEmbedding num_heads=4", "f32[B,S,D] f32[B,S,E] f32[B,S,E]", "f32[B,S,D]"},
      {"C3 the caches", "RotaryEmbedding", "f32[B,H,S,D] f32[P,E] f32[Q,F] i64[B,S]",
       "f32[B,H,S,D]", facts("P == Q && E == F")},
      {"unknown rank", "RotaryEmbedding", "f32? f32[P,E] f32[P,E] i64[B,S]", "f32?"},
      {"bad C1", "RotaryEmbedding", "f32[B,D] f32[P,E] f32[P,E] i64[B,S]", error("SHP103 C1")},
      {"bad C2", "RotaryEmbedding", "f32[B,S,D] f32[P,E] f32[P,E] i64[B,S]", error("SHP106 C2")},
      {"bad C3", "RotaryEmbedding", "f32[B,H,S,D] f32[9,4] f32[9,5] i64[B,S]", error("SHP105 C3")},
      {"bad C3 rank", "RotaryEmbedding", "f32[B,H,S,D] f32[9,4] f32[9,4]", error("SHP103 C3")},
      {"bad C4", "RotaryEmbedding", "f32[B,H,S,D] f32[9,4] f32[9,4] i64[S]", error("SHP103 C4")},
      {"bad T1", "RotaryEmbedding", "f32[B,H,S,D] f16[9,4] f16[9,4] i64[B,S]", error("SHP102 T1")},
      {"bad T2", "RotaryEmbedding", "f32[B,H,S,D] f32[9,4] f32[9,4] f32[B,S]", error("SHP102 T2")});
}

}  // namespace onnx_shapes::test
