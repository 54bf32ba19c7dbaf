// Attention operators of ONNX Runtime.
#include "tests/rules/rule_cases.h"

namespace onnx_shapes::test {
namespace {

const auto kMs = domain("com.microsoft");

}  // namespace

TEST_CASE("Attention with merged weights", "[contrib]") {
  RULE_CASES(
      {"without past", "Attention num_heads=4", "f32[B,S,H] f32[H,24] f32[24]",
       "f32[B,S,8] f32[2,B,4,S,2]", kMs},
      {"with past", "Attention num_heads=4", "f32[B,S,6] f32[6,24] f32[24] - f32[2,B,4,P,2]",
       "f32[B,S,8] f32[2,B,4,P + S,2]", kMs},
      {"a shared buffer", "Attention num_heads=4 past_present_share_buffer=1",
       "f32[B,S,6] f32[6,24] f32[24] - f32[2,B,4,P,2]", "f32[B,S,8] f32[2,B,4,P,2]", kMs},
      {"sizes of their own", "Attention num_heads=4 qkv_hidden_sizes=[8, 8, 12]",
       "f32[B,S,6] f32[6,28] f32[28]", "f32[B,S,12]", kMs},
      {"unknown ranks", "Attention num_heads=4", "f32? f32[H,24]", "f32[?,?,8]", kMs},
      {"bad C1", "Attention num_heads=4", "f32[S,6] f32[6,24]", error("SHP103 C1"), kMs},
      {"bad C2", "Attention", "f32[B,S,6] f32[6,24]", error("SHP106 C2"), kMs},
      {"bad C3", "Attention num_heads=4", "f32[B,S,5] f32[6,24]", error("SHP105 C3"), kMs},
      {"bad C4", "Attention num_heads=4", "f32[B,S,6] f32[6,24] f32[24] - f32[2,B,3,P,2]",
       error("SHP105 C4"), kMs},
      {"bad T1", "Attention num_heads=4", "f32[B,S,6] f16[6,24]", error("SHP102 T1"), kMs},
      {"quantized", "QAttention num_heads=4", "u8[B,S,6] i8[6,24] f32[24] f32[] f32[]",
       "f32[B,S,8] f32[2,B,4,S,2]", kMs},
      {"masked", "DecoderMaskedSelfAttention num_heads=4",
       "f32[B,1,6] f32[6,24] f32[24] - f32[2,B,4,P,2]", "f32[B,1,8] f32[2,B,4,P + 1,2]", kMs},
      {"packed", "PackedAttention num_heads=4", "f32[T,6] f32[6,24] f32[24]", "f32[T,8]", kMs},
      {"bad C1 of packed", "PackedAttention num_heads=4", "f32[B,T,6] f32[6,24]",
       error("SHP103 C1"), kMs},
      {"packed heads", "PackedMultiHeadAttention num_heads=4", "f32[T,8] f32[T,8] f32[T,12]",
       "f32[T,12]", kMs},
      {"packed heads in one", "PackedMultiHeadAttention num_heads=4", "f32[T,4,3,2]", "f32[T,8]",
       kMs},
      {"bad C1 of packed heads", "PackedMultiHeadAttention num_heads=4", "f32[T,4,8]",
       error("SHP103 C1"), kMs});
}

TEST_CASE("Attention with many heads", "[contrib]") {
  RULE_CASES(
      {"query, key, value", "MultiHeadAttention num_heads=4", "f32[B,S,8] f32[B,L,8] f32[B,L,12]",
       "f32[B,S,12] f32[B,4,L,2] f32[B,4,L,3]", kMs},
      {"with past", "MultiHeadAttention num_heads=4",
       "f32[B,S,8] f32[B,S,8] f32[B,S,8] - - - f32[B,4,P,2] f32[B,4,P,2]",
       "f32[B,S,8] f32[B,4,P + S,2] f32[B,4,P + S,2]", kMs},
      {"the cache as key", "MultiHeadAttention num_heads=4", "f32[B,S,8] f32[B,4,L,2] f32[B,4,L,2]",
       "f32[B,S,8]", kMs},
      {"packed keys", "MultiHeadAttention num_heads=4", "f32[B,S,8] f32[B,L,4,2,2]", "f32[B,S,8]",
       kMs},
      {"all packed", "MultiHeadAttention num_heads=4", "f32[B,S,4,3,2]", "f32[B,S,8]", kMs},
      {"unknown rank of query", "MultiHeadAttention num_heads=4", "f32? f32[B,L,8] f32[B,L,8]",
       "f32?", kMs},
      {"bad C1", "MultiHeadAttention num_heads=4", "f32[S,8] f32[L,8] f32[L,8]", error("SHP103 C1"),
       kMs},
      {"bad C2", "MultiHeadAttention", "f32[B,S,8] f32[B,L,8] f32[B,L,8]", error("SHP106 C2"), kMs},
      {"bad C4", "MultiHeadAttention num_heads=4",
       "f32[B,S,8] f32[B,S,8] f32[B,S,8] - - - f32[B,4,P,3] f32[B,4,P,2]", error("SHP105 C4"), kMs},
      {"masked", "DecoderMaskedMultiHeadAttention num_heads=4 past_present_share_buffer=1",
       "f32[B,1,8] f32[B,1,8] f32[B,1,8] - - f32[B,4,P,2] f32[B,4,P,2] i32[1]",
       "f32[B,1,8] f32[B,4,P,2] f32[B,4,P,2]", kMs});
}

// The numbers are those that ONNX Runtime gives: the cache grows to what the total needs.
TEST_CASE("Attention with grouped heads", "[contrib]") {
  RULE_CASES(
      {"the total passes the past", "GroupQueryAttention num_heads=4 kv_num_heads=2",
       "f32[B,S,32] f32[B,S,16] f32[B,S,16] f32[B,2,P,8] f32[B,2,P,8] i32[B] i32[1]{P + S}",
       "f32[B,S,32] f32[B,2,P + S,8] f32[B,2,P + S,8]", kMs},
      {"the past is a buffer", "GroupQueryAttention num_heads=4 kv_num_heads=2",
       "f32[B,3,32] f32[B,3,16] f32[B,3,16] f32[B,2,7,8] f32[B,2,7,8] i32[B] i32[1]{3}",
       "f32[B,3,32] f32[B,2,7,8] f32[B,2,7,8]", kMs},
      {"packed, without past", "GroupQueryAttention num_heads=4 kv_num_heads=2",
       "f32[B,3,64] - - - - i32[B] i32[]{3}", "f32[B,3,32] f32[B,2,3,8]", kMs},
      {"a window", "GroupQueryAttention num_heads=4 kv_num_heads=2 sliding_window_cache=1",
       "f32[B,S,32] f32[B,S,16] f32[B,S,16] f32[B,2,P,8] f32[B,2,P,8] i32[B] i32[1]{P + S}",
       "f32[B,S,32] f32[B,2,P,8]", kMs},
      {"a packed cache", "GroupQueryAttention num_heads=4 kv_num_heads=2 kv_cache_bit_width=4",
       "f32[B,S,32] f32[B,S,16] f32[B,S,16] u8[B,2,P,4] u8[B,2,P,4] i32[B] i32[1]{P + S}",
       "f32[B,S,32] u8[B,2,P + S,4]", kMs},
      {"an unknown total", "GroupQueryAttention num_heads=4 kv_num_heads=2",
       "f32[B,S,32] f32[B,S,16] f32[B,S,16] f32[B,2,P,8] f32[B,2,P,8] i32[B] i32[1]",
       "f32[B,S,32] f32[B,2,?,8]", kMs},
      {"bad C1", "GroupQueryAttention num_heads=4 kv_num_heads=2",
       "f32[B,32] f32[B,S,16] f32[B,S,16]", error("SHP103 C1"), kMs},
      {"bad C2", "GroupQueryAttention num_heads=4", "f32[B,S,32] f32[B,S,16] f32[B,S,16]",
       error("SHP106 C2"), kMs},
      {"bad C4", "GroupQueryAttention num_heads=4 kv_num_heads=2",
       "f32[B,S,32] f32[B,S,16] f32[B,S,16] f32[B,3,P,8] f32[B,3,P,8]", error("SHP105 C4"), kMs},
      {"paged", "PagedAttention num_heads=4 kv_num_heads=2",
       "f16[T,32] f16[T,16] f16[T,16] f16[N,16,2,8] f16[N,16,2,8]",
       "f16[T,32] f16[N,16,2,8] f16[N,16,2,8]", kMs},
      {"paged and packed", "PagedAttention num_heads=4 kv_num_heads=2",
       "f16[T,64] - - f16[N,16,2,8] f16[N,16,2,8]", "f16[T,32]", kMs},
      {"paged and latent",
       "PagedAttention num_heads=4 kv_num_heads=1 kv_cache_layout=\"LATENT\" v_head_size=6",
       "f16[T,32] - - f16[N,16,1,8]", "f16[T,24]", kMs},
      {"bad C1 of paged", "PagedAttention num_heads=4 kv_num_heads=2", "f16[B,T,64]",
       error("SHP103 C1"), kMs},
      {"bad C2 of paged", "PagedAttention num_heads=4", "f16[T,64]", error("SHP106 C2"), kMs},
      {"RotaryEmbedding", "RotaryEmbedding", "f32[B,S,H] i64[B,S] f32[M,D] f32[M,D]", "f32[B,S,H]",
       kMs},
      {"bad C1 of RotaryEmbedding", "RotaryEmbedding", "f32[S,H] i64[B,S] f32[M,D] f32[M,D]",
       error("SHP103 C1"), kMs},
      {"LongformerAttention", "LongformerAttention num_heads=2 window=4", "f32[B,S,H]",
       "f32[B,S,H]", kMs},
      {"bad C1 of LongformerAttention", "LongformerAttention", "f32[S,H]", error("SHP103 C1"),
       kMs});
}

TEST_CASE("Sparse, ordered and older attention", "[contrib]") {
  const std::string heads = " num_heads=4 kv_num_heads=2 sparse_block_size=16";
  RULE_CASES(
      {"SparseAttention", "SparseAttention" + heads,
       "f16[B,S,32] f16[B,S,16] f16[B,S,16] f16[B,2,M,8] f16[B,2,M,8]",
       "f16[B,S,32] f16[B,2,M,8] f16[B,2,M,8]", kMs},
      {"packed", "SparseAttention" + heads, "f16[B,S,64] - - f16[B,2,M,8] f16[B,2,M,8]",
       "f16[B,S,32] f16[B,2,M,8]", kMs},
      {"bad C1", "SparseAttention" + heads, "f16[S,32]", error("SHP103 C1"), kMs},
      {"bad C2", "SparseAttention num_heads=4", "f16[B,S,32]", error("SHP106 C2"), kMs},
      {"bad C4", "SparseAttention" + heads, "f16[B,S,32] - - f16[B,M,8]", error("SHP103 C4"), kMs},
      {"a quantized cache", "DynamicSparseAttention num_heads=4 kv_num_heads=2",
       "f16[B,S,32] f16[B,S,16] f16[B,S,16] i8[B,2,M,8] i8[B,2,M,8]",
       "f16[B,S,32] i8[B,2,M,8] i8[B,2,M,8]", kMs},
      {"without a cache", "DynamicSparseAttention num_heads=4 kv_num_heads=2 output_bf16=1",
       "f16[B,S,64]", "bf16[B,S,32] undef[B,2,?,8]", kMs},
      {"SparsePagedAttention", "SparsePagedAttention num_heads=4 kv_num_heads=2",
       "f16[T,64] - - f16[N,16,2,8] f16[N,16,2,8]", "f16[T,32] f16[N,16,2,8] f16[N,16,2,8]", kMs},
      {"QOrderedAttention", "QOrderedAttention num_heads=4",
       "i8[B,S,H] f32[] f32[] f32[] f32[] i8[H,8] i8[H,8] i8[H,12] f32[] f32[] f32[] f32[8] f32[8] "
       "f32[12]",
       "i8[B,S,12]", kMs},
      {"its first form", "QOrderedAttention num_heads=4",
       "i8[B,S,H] f32[] i8[H,24] f32[] f32[24] f32[] f32[] - f32[]", "i8[B,S,8]", kMs},
      {"bad C1 of QOrderedAttention", "QOrderedAttention num_heads=4",
       "i8[S,H] f32[] i8[H,24] f32[] f32[24]", error("SHP103 C1"), kMs},
      {"QOrderedLongformerAttention", "QOrderedLongformerAttention num_heads=4 window=2",
       "i8[B,S,H] f32[] i8[H,3*H]", "i8[B,S,H]", kMs},
      {"DecoderAttention", "DecoderAttention num_heads=4",
       "f32[S,B,8] f32[T,B,8] f32[8,8] f32[8,16] f32[24] - f32[B,4,P,2] f32[B,4,P,2] bool[] bool[] "
       "bool[] bool[]",
       "f32[S,B,8] f32[B,4,?,2] f32[B,4,?,2]", kMs},
      {"bad C1 of DecoderAttention", "DecoderAttention num_heads=4", "f32[S,8]", error("SHP103 C1"),
       kMs},
      {"bad C2 of DecoderAttention", "DecoderAttention", "f32[S,B,8]", error("SHP106 C2"), kMs},
      {"MRotaryEmbedding", "MRotaryEmbedding mrope_section=[1, 1, 2]",
       "f32[B,4,S,8] i64[3,B,S] f32[L,4] f32[L,4]", "f32[B,4,S,8]", kMs});
}

}  // namespace onnx_shapes::test
