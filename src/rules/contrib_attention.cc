// Attention operators of ONNX Runtime's own domain.
#include <fmt/format.h>

#include <algorithm>

#include "rules/contrib_shapes.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {

Dim part(InferContext& ctx, Dim hidden, int64_t count) {
  if (count < 1) return {};
  const Dim exact = exact_quotient(hidden, ctx.lit(count));
  return exact.known() ? exact : floor_div(hidden, count);
}

std::optional<int64_t> head_count(InferContext& ctx, std::string_view name,
                                  std::string_view label) {
  const int64_t heads = ctx.attr_int(name, 0);
  if (heads >= 1) return heads;
  ctx.report(Code::kAttribute, label, fmt::format("{} must be at least 1", name));
  return std::nullopt;
}

Shape shape_or_unknown(const InferContext& ctx, size_t input, size_t rank) {
  const Shape* shape = ctx.shape(input);
  return shape != nullptr && shape->size() == rank ? *shape : Shape(rank);
}

namespace {

/// [2, batch, heads, past + sequence, size]; with a shared buffer the present is the past.
Shape present_state(InferContext& ctx, size_t past_input, const Shape& without_past) {
  Shape present = without_past;
  if (!ctx.has_input(past_input)) return present;
  const Shape* past = ctx.shape(past_input);
  const size_t axis = present.size() - 2;
  if (past == nullptr || past->size() != present.size()) {
    present[axis] = Dim();
    return present;
  }
  for (size_t i = 0; i < present.size(); ++i) {
    if (i != axis) present[i] = ctx.require_equal(present[i], (*past)[i], "C4", "past and present");
  }
  const bool shared = ctx.attr_int("past_present_share_buffer", 0) != 0;
  present[axis] = shared ? (*past)[axis] : (*past)[axis] + present[axis];
  return present;
}

/// Attention and QAttention: input [batch, sequence, in] and merged weights [in, q + k + v].
Outcome merged_attention(InferContext& ctx, ElemType elem, size_t past_input) {
  ctx.set_tensor(0, elem);
  ctx.set_tensor(1, elem);
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(1, 2, "C1")) return Outcome::kFailed;
  const auto heads = head_count(ctx, "num_heads", "C2");
  if (!heads) return Outcome::kFailed;
  const Shape x = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(3);
  const Shape weights = ctx.shape(1) != nullptr ? *ctx.shape(1) : Shape(2);
  ctx.require_equal(x[2], weights[0], "C3", "the hidden dims of input and weights");
  Dim hidden = part(ctx, weights[1], 3);
  Dim key_hidden = hidden;
  if (const auto sizes = ctx.attr_ints("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    key_hidden = ctx.lit((*sizes)[1]);
    hidden = ctx.lit((*sizes)[2]);
  }
  ctx.set_tensor(0, elem, Shape{x[0], x[1], hidden});
  ctx.set_tensor(
      1, elem,
      present_state(ctx, past_input,
                    {ctx.lit(2), x[0], ctx.lit(*heads), x[1], part(ctx, key_hidden, *heads)}));
  return Outcome::kDone;
}

// Attention-1: input, weights, bias, mask_index, past, ... Y [batch, sequence, v]; present
// [2, batch, heads, past + sequence, size].
//   C1  input has rank 3, weights rank 2     C2  num_heads >= 1
//   C3  the hidden dims of input and weights are equal     C4  past fits present
//   T1  input and weights are of one type
Outcome attention(InferContext& ctx) {
  ctx.require_same_elem(0, 1, "T1");
  return merged_attention(ctx, ctx.elem(0), 4);
}

// QAttention-1: input, weight, bias, input_scale, weight_scale, mask_index, zero points, past. As
// Attention, of the type of input_scale.
Outcome qattention(InferContext& ctx) { return merged_attention(ctx, ctx.elem(3), 8); }

// DecoderMaskedSelfAttention-1: input, weights, bias, mask_index, past, ... As Attention.
Outcome decoder_masked_self_attention(InferContext& ctx) {
  return merged_attention(ctx, ctx.elem(0), 4);
}

// PackedAttention-1: input [tokens, in], weights [in, q + k + v]; Y [tokens, v].
//   C1  input and weights have rank 2
Outcome packed_attention(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 2, "C1") || !ctx.require_rank(1, 2, "C1")) return Outcome::kFailed;
  Dim hidden = ctx.shape(1) != nullptr ? part(ctx, ctx.shape(1)->back(), 3) : Dim();
  if (const auto sizes = ctx.attr_ints("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    hidden = ctx.lit((*sizes)[2]);
  }
  ctx.set_tensor(0, ctx.elem(0),
                 Shape{ctx.shape(0) != nullptr ? ctx.shape(0)->front() : Dim(), hidden});
  return Outcome::kDone;
}

// PackedMultiHeadAttention-1: query [tokens, q] or packed [tokens, heads, 3, size]; key; value
// [tokens, v]. Y [tokens, v], or [tokens, heads * size].
//   C1  query has rank 2 or 4
Outcome packed_multi_head_attention(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (ctx.rank(0) && *ctx.rank(0) != 4 && !ctx.require_rank(0, 2, "C1")) return Outcome::kFailed;
  const Shape* query = ctx.shape(0);
  if (query == nullptr) return Outcome::kDone;
  Dim hidden;
  if (query->size() == 4) hidden = (*query)[1] * (*query)[3];
  if (query->size() == 2 && ctx.shape(2) != nullptr) hidden = ctx.shape(2)->back();
  ctx.set_tensor(0, ctx.elem(0), Shape{query->front(), hidden});
  return Outcome::kDone;
}

/// What MultiHeadAttention reads from query, key and value.
struct MultiHead {
  Dim batch, sequence, hidden;        // of the output
  Dim kv_sequence, size, value_size;  // of the cache
};

/// C1: the layouts of query (3 or packed 5), key (3, packed 5, or a cache of rank 4) and value.
std::optional<MultiHead> read_multi_head(InferContext& ctx, int64_t heads) {
  MultiHead out;
  const Shape* query = ctx.shape(0);
  const Shape* key = ctx.shape(1);
  const Shape* value = ctx.shape(2);
  const auto fits = [&](size_t input, std::initializer_list<size_t> ranks) {
    const auto rank = ctx.rank(input);
    return !rank || std::find(ranks.begin(), ranks.end(), *rank) != ranks.end();
  };
  if (!fits(0, {3, 5}) || !fits(1, {3, 4, 5}) || !fits(2, {3, 4})) {
    ctx.report(Code::kInputRank, "C1", "query, key and value have no layout of this operator");
    return std::nullopt;
  }
  if (query == nullptr) return out;
  out.batch = query->front();
  out.sequence = (*query)[1];
  if (query->size() == 5) {
    out.hidden = (*query)[2] * (*query)[4];
    out.kv_sequence = out.sequence;
    out.size = out.value_size = (*query)[4];
    return out;
  }
  out.size = part(ctx, query->back(), heads);
  if (key != nullptr) out.kv_sequence = key->size() == 4 ? (*key)[2] : (*key)[1];
  if (key != nullptr && key->size() == 5) {
    out.hidden = query->back();
    out.value_size = out.size;
  } else if (value != nullptr) {
    out.hidden = value->size() == 4 ? (*value)[1] * (*value)[3] : value->back();
    out.value_size = value->size() == 4 ? (*value)[3] : part(ctx, value->back(), heads);
  }
  return out;
}

/// Sets Y [batch, sequence, hidden] and the caches [batch, heads, total, size].
Outcome multi_head(InferContext& ctx, size_t past_key, bool shared_by_input) {
  for (size_t i = 0; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0));
  const auto heads = head_count(ctx, "num_heads", "C2");
  const auto read = heads ? read_multi_head(ctx, *heads) : std::nullopt;
  if (!read) return Outcome::kFailed;
  if (read->sequence.known()) {
    ctx.set_tensor(0, ctx.elem(0), Shape{read->batch, read->sequence, read->hidden});
  }
  Shape key =
      present_state(ctx, past_key, {read->batch, ctx.lit(*heads), read->kv_sequence, read->size});
  Shape value = present_state(ctx, past_key + 1,
                              {read->batch, ctx.lit(*heads), read->kv_sequence, read->value_size});
  // The length of a buffer that an input says how far it is filled is not the sum.
  if (shared_by_input) key[2] = value[2] = Dim();
  ctx.set_tensor(1, ctx.elem(0), std::move(key));
  ctx.set_tensor(2, ctx.elem(0), std::move(value));
  return Outcome::kDone;
}

// MultiHeadAttention-1: query, key, value, bias, key_padding_mask, attention_bias, past_key,
// past_value, past_sequence_length, ...
//   C1  query has rank 3 or 5, key 3, 4 or 5, value 3 or 4     C2  num_heads >= 1
//   C4  the pasts fit the presents
Outcome multi_head_attention(InferContext& ctx) { return multi_head(ctx, 6, ctx.has_input(8)); }

// DecoderMaskedMultiHeadAttention-1: query, key, value, mask_index, attention_bias, past_key,
// past_value, past_sequence_length, ...
//   C1, C2, C4  as for MultiHeadAttention
Outcome decoder_masked_multi_head_attention(InferContext& ctx) {
  return multi_head(ctx, 5, ctx.has_input(7) && ctx.attr_int("past_present_share_buffer", 0) == 0);
}

bool is_float(ElemType elem) {
  return std::find(kFloatTypes.begin(), kFloatTypes.end(), elem) != kFloatTypes.end();
}

/// The head size of a query, packed with keys and values if `packed`.
Dim grouped_size(InferContext& ctx, const Shape* query, bool packed, int64_t heads,
                 int64_t kv_heads) {
  if (query == nullptr) return {};
  return part(ctx, query->back(), packed ? heads + 2 * kv_heads : heads);
}

// GroupQueryAttention-1: query [batch, sequence, heads * size] (with key and
// value merged into it where they are left out), key, value, past_key [batch, kv_heads, past,
// size], past_value, seqlens_k, total_sequence_length. Y [batch, sequence, heads * size];
// the presents [batch, kv_heads, max(past, total), size], or like the pasts with
// sliding_window_cache.
//   C1  query has rank 3     C2  num_heads and kv_num_heads >= 1
//   C4  the pasts are [batch, kv_heads, past, size]
Outcome group_query_attention(InferContext& ctx) {
  const ElemType cache_elem = ctx.has_input(3) ? ctx.elem(3) : ctx.elem(0);
  for (const size_t i : {0U, 3U}) ctx.set_tensor(i, ctx.elem(0));
  for (const size_t i : {1U, 2U}) ctx.set_tensor(i, cache_elem);
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(3, 4, "C4") ||
      !ctx.require_rank(4, 4, "C4")) {
    return Outcome::kFailed;
  }
  const auto heads = head_count(ctx, "num_heads", "C2");
  const auto kv_heads = head_count(ctx, "kv_num_heads", "C2");
  if (!heads || !kv_heads) return Outcome::kFailed;
  const Shape* query = ctx.shape(0);
  const bool packed = !ctx.has_input(1);
  Dim size = grouped_size(ctx, query, packed, *heads, *kv_heads);
  Dim batch = query != nullptr ? query->front() : Dim();
  Dim past = ctx.has_input(3) ? Dim() : ctx.lit(0);
  Dim cached = ctx.has_input(3) ? Dim() : size;
  if (const Shape* cache = ctx.shape(3)) {
    batch = ctx.require_equal(batch, (*cache)[0], "C4", "the batches of query and past_key");
    ctx.require_equal(ctx.lit(*kv_heads), (*cache)[1], "C4", "kv_num_heads and past_key's heads");
    past = (*cache)[2];
    cached = (*cache)[3];
    // A quantized cache may pack several numbers into a byte.
    if (is_float(ctx.elem(3))) {
      size = cached = ctx.require_equal(size, cached, "C4", "the head sizes of query and past_key");
    }
  }
  if (query != nullptr) {
    ctx.set_tensor(0, ctx.elem(0),
                   Shape{batch, (*query)[1], packed ? size * *heads : query->back()});
  }
  const bool window = ctx.attr_int("sliding_window_cache", 0) != 0;
  const Dim total = window ? past : max(past, ctx.scalar_integer(6));
  for (const size_t output : {1U, 2U}) {
    ctx.set_tensor(output, cache_elem, Shape{batch, ctx.lit(*kv_heads), total, cached});
  }
  return Outcome::kDone;
}

// RotaryEmbedding-1. Y like input.
//   C1  input has rank 3 or 4
Outcome rotary_embedding(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  return ctx.require_rank(0, 3, 4, "C1") ? Outcome::kDone : Outcome::kFailed;
}

// LongformerAttention-1, QOrderedLongformerAttention-1. Y like input [batch, sequence, hidden].
//   C1  input has rank 3
Outcome longformer_attention(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  return ctx.require_rank(0, 3, "C1") ? Outcome::kDone : Outcome::kFailed;
}

// SparseAttention-1, DynamicSparseAttention-1: query [batch, sequence, heads * size] (with key and
// value merged into it where they are left out), key, value, past_key, past_value, ... Y [batch,
// sequence, heads * size]; the presents are the pasts' buffers. Without pasts the buffers are
// [batch, kv_heads, total, size].
//   C1  query has rank 3     C2  num_heads and kv_num_heads >= 1     C4  the pasts have rank 4
Outcome sparse_attention(InferContext& ctx) {
  const bool half = ctx.attr_int("output_bf16", 0) != 0;
  const ElemType elem = half ? ElemType::kBfloat16 : ctx.elem(0);
  ctx.set_tensor(0, elem);
  for (const size_t i : {1U, 2U}) set_like(ctx, i, i + 2, ctx.elem(i + 2));
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(3, 4, "C4") ||
      !ctx.require_rank(4, 4, "C4")) {
    return Outcome::kFailed;
  }
  const auto heads = head_count(ctx, "num_heads", "C2");
  const auto kv_heads = head_count(ctx, "kv_num_heads", "C2");
  if (!heads || !kv_heads) return Outcome::kFailed;
  const Shape query = shape_or_unknown(ctx, 0, 3);
  const bool packed = !ctx.has_input(1);
  const Dim size = grouped_size(ctx, &query, packed, *heads, *kv_heads);
  ctx.set_tensor(0, elem, Shape{query[0], query[1], packed ? size * *heads : query[2]});
  for (const size_t i : {1U, 2U}) {
    if (ctx.has_input(i + 2)) continue;
    ctx.set_tensor(i, ElemType::kUndefined, Shape{query[0], ctx.lit(*kv_heads), Dim(), size});
  }
  ctx.set_tensor(3, ElemType::kInt32);
  return Outcome::kDone;
}

// QOrderedAttention-1: input [batch, sequence, in], ..., V_weight (input 7) [in, hidden], ..., or
// in its first form the merged weight (input 2) [in, 3 * hidden]. Y [batch, sequence, hidden].
//   C1  input has rank 3, the weights rank 2
Outcome qordered_attention(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const bool merged = ctx.input_count() < 10;
  const size_t weight = merged ? 2 : 7;
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(weight, 2, "C1")) return Outcome::kFailed;
  const Shape input = shape_or_unknown(ctx, 0, 3);
  const Dim hidden = shape_or_unknown(ctx, weight, 2)[1];
  ctx.set_tensor(0, ctx.elem(0), Shape{input[0], input[1], merged ? part(ctx, hidden, 3) : hidden});
  return Outcome::kDone;
}

// DecoderAttention-1: query [sequence, batch, hidden], key, weights, bias, mask, key_cache,
// value_cache, ... Y like query; the caches [batch, num_heads, length, size], whose length depends
// on flags that a run gives.
//   C1  query has rank 3     C2  num_heads >= 1
Outcome decoder_attention(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  for (const size_t i : {1U, 2U}) ctx.set_tensor(i, ctx.elem(0));
  const auto heads = head_count(ctx, "num_heads", "C2");
  if (!ctx.require_rank(0, 3, "C1") || !heads) return Outcome::kFailed;
  const Shape query = shape_or_unknown(ctx, 0, 3);
  for (const size_t i : {1U, 2U}) {
    ctx.set_tensor(i, ctx.elem(0),
                   Shape{query[1], ctx.lit(*heads), Dim(), part(ctx, query[2], *heads)});
  }
  return Outcome::kDone;
}

// PagedAttention-1, SparsePagedAttention-1: query [tokens, heads * size] (with key and value merged
// where they are left out), key, value, key_cache, value_cache, ... Y [tokens, heads * size]; the
// caches as they were. In the LATENT layout there is no key, and the values may have a size of
// their own, v_head_size.
//   C1  query has rank 2     C2  num_heads and kv_num_heads >= 1
Outcome paged_attention(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  set_like(ctx, 1, 3, ctx.elem(3));
  set_like(ctx, 2, 4, ctx.elem(4));
  if (!ctx.require_rank(0, 2, "C1")) return Outcome::kFailed;
  const auto heads = head_count(ctx, "num_heads", "C2");
  const auto kv_heads = head_count(ctx, "kv_num_heads", "C2");
  if (!heads || !kv_heads) return Outcome::kFailed;
  const Shape* query = ctx.shape(0);
  if (query == nullptr) return Outcome::kDone;
  const bool latent = ctx.attr_string("kv_cache_layout", "") == "LATENT";
  const int64_t value_size = ctx.attr_int("v_head_size", 0);
  Dim hidden = query->back();
  if (!latent && !ctx.has_input(1)) {
    hidden = grouped_size(ctx, query, true, *heads, *kv_heads) * *heads;
  } else if (latent && value_size > 0) {
    hidden = ctx.lit(value_size) * *heads;
  }
  ctx.set_tensor(0, ctx.elem(0), Shape{query->front(), hidden});
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>(
    {{"Attention", 1, attention},
     {"DecoderAttention", 1, decoder_attention},
     {"DecoderMaskedMultiHeadAttention", 1, decoder_masked_multi_head_attention},
     {"DecoderMaskedSelfAttention", 1, decoder_masked_self_attention},
     {"DynamicSparseAttention", 1, sparse_attention},
     {"GroupQueryAttention", 1, group_query_attention},
     {"LongformerAttention", 1, longformer_attention},
     {"MultiHeadAttention", 1, multi_head_attention},
     {"PackedAttention", 1, packed_attention},
     {"PackedMultiHeadAttention", 1, packed_multi_head_attention},
     {"PagedAttention", 1, paged_attention},
     {"QAttention", 1, qattention},
     {"QOrderedAttention", 1, qordered_attention},
     {"QOrderedLongformerAttention", 1, longformer_attention},
     {"MRotaryEmbedding", 1, rotary_embedding},
     {"RotaryEmbedding", 1, rotary_embedding},
     {"SparseAttention", 1, sparse_attention},
     {"SparsePagedAttention", 1, paged_attention}});

}  // namespace

std::span<const Family> contrib_attention_family() {
  static constexpr std::array kFamilies = {Family{"com.microsoft", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
