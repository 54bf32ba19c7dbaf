// Decoders of language models in ONNX Runtime's own domain: gates, linear attention, convolutions
// with a state, indexers of sparse attention, routers of experts.
#include <algorithm>
#include <array>

#include "rules/contrib_shapes.h"
#include "rules/contrib_tables.h"

namespace onnx_shapes {
namespace {

/// An attribute that is a size, of which some are 0 where something is left out.
Dim count_attribute(InferContext& ctx, std::string_view name, int64_t otherwise = 0) {
  const int64_t count = ctx.attr_int(name, otherwise);
  return count >= 0 ? ctx.lit(count) : Dim();
}

// SwiGLU-1: gate, up. Like gate, or without up half of it.
//   C1  gate is no scalar where it holds both halves
Outcome swiglu(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  if (ctx.has_input(1)) return Outcome::kDone;
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  if (const Shape* gate = ctx.shape(0)) {
    ctx.set_tensor(0, ctx.elem(0), replaced_last(gate, part(ctx, gate->back(), 2)));
  }
  return Outcome::kDone;
}

// GemmaRotaryEmbedding-1: emb, q, q_rot, k, k_rot. Like q and like k.
//   C1  q and k have rank 4
Outcome gemma_rotary_embedding(InferContext& ctx) {
  set_like(ctx, 0, 1, ctx.elem(1));
  set_like(ctx, 1, 3, ctx.elem(3));
  const bool fits = ctx.require_rank(1, 4, "C1") && ctx.require_rank(3, 4, "C1");
  return fits ? Outcome::kDone : Outcome::kFailed;
}

// RMSNormRotary-1: X [batch, sequence, heads, stride], scale [width], ... Y [batch, sequence, heads
// * width], with flatten_batch [1, batch * sequence, heads * width]; the normalized values are
// [batch, sequence, heads, width]. The width is input_width, or all of X's last dim.
//   C1  X has rank 4
Outcome rms_norm_rotary(InferContext& ctx) {
  const ElemType elem =
      ctx.attr_int("output_fp16", 0) != 0 ? ElemType::kFloat16 : ElemType::kBfloat16;
  ctx.set_tensor(0, elem);
  ctx.set_tensor(1, ElemType::kFloat);
  if (!ctx.require_rank(0, 4, "C1")) return Outcome::kFailed;
  Shape x = shape_or_unknown(ctx, 0, 4);
  if (const int64_t width = ctx.attr_int("input_width", 0); width > 0) x[3] = ctx.lit(width);
  const bool flat = ctx.attr_int("flatten_batch", 0) != 0;
  ctx.set_tensor(0, elem, Shape{flat ? ctx.lit(1) : x[0], flat ? x[0] * x[1] : x[1], x[2] * x[3]});
  ctx.set_tensor(1, ElemType::kFloat, std::move(x));
  return Outcome::kDone;
}

/// A recurrent state: with a window of W states, [W, ...].
Shape with_window(InferContext& ctx, Shape state) {
  const int64_t window = ctx.attr_int("state_window", 0);
  if (window > 0) state.insert(state.begin(), ctx.lit(window));
  return state;
}

// LinearAttention-1: query [B, T, q_heads * d_k], key [B, T, kv_heads * d_k], value [B, T, kv_heads
// * d_v], past_state, ... Y [B, T, max(q_heads, kv_heads) * d_v] and the state [B, kv_heads, d_k,
// d_v].
//   C1  query, key and value have rank 3     C2  q_num_heads and kv_num_heads >= 1
//   C3  they have the same batch and length
Outcome linear_attention(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(1, ctx.elem(3));
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_rank(i, 3, "C1")) return Outcome::kFailed;
  }
  const auto heads = head_count(ctx, "q_num_heads", "C2");
  const auto kv_heads = head_count(ctx, "kv_num_heads", "C2");
  if (!heads || !kv_heads) return Outcome::kFailed;
  Shape query = shape_or_unknown(ctx, 0, 3);
  const Shape key = shape_or_unknown(ctx, 1, 3);
  const Shape value = shape_or_unknown(ctx, 2, 3);
  for (const size_t axis : {0U, 1U}) {
    for (const Shape* other : {&key, &value}) {
      query[axis] = ctx.require_equal(query[axis], (*other)[axis], "C3",
                                      "the batches and lengths of query, key and value");
    }
  }
  const Dim value_size = part(ctx, value[2], *kv_heads);
  ctx.set_tensor(0, ctx.elem(0),
                 Shape{query[0], query[1], value_size * std::max(*heads, *kv_heads)});
  Shape state{query[0], ctx.lit(*kv_heads), part(ctx, key[2], *kv_heads), value_size};
  ctx.set_tensor(1, ctx.elem(3), with_window(ctx, std::move(state)));
  return Outcome::kDone;
}

// LinearAttentionGate-1: a [B, T, H], dt_bias, decay_scale, b. decay like a, beta like b.
//   C1  a and b have rank 3
Outcome linear_attention_gate(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  set_like(ctx, 1, 3, ctx.elem(3));
  const bool fits = ctx.require_rank(0, 3, "C1") && ctx.require_rank(3, 3, "C1");
  return fits ? Outcome::kDone : Outcome::kFailed;
}

// GatedDeltaNet-1: query, key and value [tokens, heads, size] or [batch, sequence, heads, size], or
// all packed in query [tokens, ...]; ..., initial_state (input 6) [batch, value_heads, value_size,
// size]. Y [tokens, value_heads, value_size], since there are no more heads of queries, and a state
// like the initial one.
//   C1  query has rank 3 or 4, or 2 where it holds all     C2  initial_state has rank 4
Outcome gated_delta_net(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  set_like(ctx, 1, 6, ElemType::kFloat);
  ctx.set_tensor(2, ElemType::kFloat, Shape(2));
  const bool packed = !ctx.has_input(1);
  if (!ctx.require_rank(0, packed ? 2 : 3, packed ? 2 : 4, "C1") || !ctx.require_rank(6, 4, "C2")) {
    return Outcome::kFailed;
  }
  const Shape* query = ctx.shape(0);
  if (query == nullptr) return Outcome::kDone;
  const Shape state = shape_or_unknown(ctx, 6, 4);
  Shape out(query->begin(), query->end() - (packed ? 1 : 2));
  const Shape value = shape_or_unknown(ctx, 2, query->size());
  const auto known = [](Dim dim, Dim otherwise) { return dim.known() ? dim : otherwise; };
  out.push_back(packed ? state[1] : known(value[value.size() - 2], state[1]));
  out.push_back(packed ? state[2] : known(value.back(), state[2]));
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// CausalConvWithState-1: input [N, C, ...] (channels_last: [N, L, ...]), weight [C, 1, k...], bias,
// past_state. Y like input, with input_channels in place of its last dim where that is set; the
// state, of one spatial axis, [N, C, (k - 1) * dilation] in the layout of the input, unless
// state_length and state_channels_last say otherwise; with a window of W states, [W, ...].
//   C1  input and weight have rank >= 3
Outcome causal_conv_with_state(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  set_like(ctx, 1, 3, ctx.elem(0));
  ctx.set_tensor(2, ctx.elem(0), Shape(3));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1") || !ctx.require_rank(1, 3, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const Shape* input = ctx.shape(0);
  if (input == nullptr) return Outcome::kDone;
  const bool last = ctx.attr_int("channels_last", 0) != 0;
  const int64_t selected = ctx.attr_int("input_channels", 0);
  Shape out = *input;
  if (selected > 0) out.back() = ctx.lit(selected);
  ctx.set_tensor(0, ctx.elem(0), out);
  const int64_t capacity = ctx.attr_int("state_update_capacity", 0);
  ctx.set_tensor(2, ctx.elem(0),
                 Shape{out[0], count_attribute(ctx, "state_update_capacity"),
                       last && out.size() == 3 ? out[2] : Dim()});
  if (ctx.has_input(3) || ctx.attr_int("ndim", 1) != 1 || capacity < 0) return Outcome::kDone;
  const Shape weight = shape_or_unknown(ctx, 1, 3);
  const int64_t given = ctx.attr_int("state_length", 0);
  const Dim length = given > 0 ? ctx.lit(given) : (weight[2] - 1) * ctx.attr_int("dilation", 1);
  const int64_t layout = ctx.attr_int("state_channels_last", -1);
  Shape state = out;
  if (last) {
    state[1] = length;
    if (layout == 0 && state.size() == 3) std::swap(state[1], state[2]);
  } else {
    state[2] = length;
    if (layout == 1) std::swap(state[1], state[2]);
  }
  ctx.set_tensor(1, ctx.elem(0), with_window(ctx, std::move(state)));
  return Outcome::kDone;
}

// VarlenCausalConvWithState-1: input [tokens, C], weight, lengths, bias, initial_state [batch, C,
// length], ... Y like input, the state like initial_state; updates [batch, capacity, C].
//   C1  input has rank 2, initial_state rank 3
Outcome varlen_causal_conv_with_state(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  set_like(ctx, 1, 4, ctx.elem(4));
  if (!ctx.require_rank(0, 2, "C1") || !ctx.require_rank(4, 3, "C1")) return Outcome::kFailed;
  const Shape state = shape_or_unknown(ctx, 4, 3);
  ctx.set_tensor(2, ctx.elem(0),
                 Shape{state[0], count_attribute(ctx, "state_update_capacity"), state[1]});
  return Outcome::kDone;
}

/// The width of the lists of a sparse attention's indexer: by its policy_mode.
Dim selection_width(InferContext& ctx) {
  if (ctx.attr_string("policy_mode", "") != "qsa") return count_attribute(ctx, "index_topk");
  return count_attribute(ctx, "token_budget") + count_attribute(ctx, "compress_ratio") - 1;
}

// SparseAttentionIndexer-1: query [batch, sequence, ...], ..., past_key (input 7) [batch, length,
// size], ..., past_sequence_length (input 12). Indices [batch, sequence, width] and the keys: a
// buffer like past_key where input 12 says how far it is filled, else (in mode qsa) past_key with
// the new ones.
//   C1  query has rank 3, past_key rank 3
Outcome sparse_attention_indexer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32);
  ctx.set_tensor(1, ctx.elem(0));
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(7, 3, "C1")) return Outcome::kFailed;
  const Shape query = shape_or_unknown(ctx, 0, 3);
  ctx.set_tensor(0, ElemType::kInt32, Shape{query[0], query[1], selection_width(ctx)});
  Shape keys = shape_or_unknown(ctx, 7, 3);
  if (!ctx.has_input(12)) {
    const bool raw = ctx.attr_string("policy_mode", "") == "qsa";
    keys[1] = raw ? keys[1] + query[1] : Dim();
  }
  ctx.set_tensor(1, ctx.elem(0), std::move(keys));
  ctx.set_tensor(2, ctx.elem(0), Shape(4));
  return Outcome::kDone;
}

// PackedSparseAttentionIndexer-1: query [tokens, ...], ..., past_key_state (input 12),
// past_kv_buffer (13), past_gate_buffer (14), past_state_lengths (15) [batch, 2]. Indices [tokens,
// width], counts [tokens], and the states as they were; updates [batch, capacity, size], statuses.
//   C1  query has rank 2
Outcome packed_sparse_attention_indexer(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32);
  if (!ctx.require_rank(0, 2, "C1")) return Outcome::kFailed;
  const Dim tokens = shape_or_unknown(ctx, 0, 2)[0];
  ctx.set_tensor(0, ElemType::kInt32, Shape{tokens, selection_width(ctx)});
  ctx.set_tensor(1, ElemType::kInt32, Shape{tokens});
  for (const size_t i : {2U, 3U, 4U, 5U}) set_like(ctx, i, i + 10, ctx.elem(i + 10));
  const Shape state = shape_or_unknown(ctx, 12, 3);
  ctx.set_tensor(6, ctx.elem(0),
                 Shape{state[0], count_attribute(ctx, "state_update_capacity"), state[2]});
  ctx.set_tensor(7, ElemType::kInt32, Shape{tokens});
  ctx.set_tensor(8, ElemType::kInt32, Shape{state[0]});
  return Outcome::kDone;
}

// PackedSparseAttentionIndexerMerge-1: ..., base_row_indices (input 2) [rows], ... Indices [rows,
// max_output_entries], counts and statuses [rows].
//   C1  base_row_indices has rank 1
Outcome packed_indexer_merge(InferContext& ctx) {
  for (const size_t i : {0U, 1U, 2U}) ctx.set_tensor(i, ElemType::kInt32);
  if (!ctx.require_rank(2, 1, "C1")) return Outcome::kFailed;
  const Dim rows = shape_or_unknown(ctx, 2, 1)[0];
  ctx.set_tensor(0, ElemType::kInt32, Shape{rows, count_attribute(ctx, "max_output_entries")});
  for (const size_t i : {1U, 2U}) ctx.set_tensor(i, ElemType::kInt32, Shape{rows});
  return Outcome::kDone;
}

/// Streams [..., C, H] or, with num_branches, [..., C * H] as [..., H].
std::optional<Shape> one_stream(InferContext& ctx) {
  const Shape* streams = ctx.shape(0);
  if (streams == nullptr) return std::nullopt;
  const int64_t branches = ctx.attr_int("num_branches", 0);
  if (branches > 0) return replaced_last(streams, part(ctx, streams->back(), branches));
  Shape out = *streams;
  out.erase(out.end() - 2);
  return out;
}

// HyperConnectionPreMix-1. The streams' sum, weighted.
//   C1  streams has rank >= 1, or >= 2 without num_branches
Outcome pre_mix(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const size_t least = ctx.attr_int("num_branches", 0) > 0 ? 1 : 2;
  if (!ctx.require_rank(0, least, SIZE_MAX, "C1")) return Outcome::kFailed;
  ctx.set_tensor(0, ctx.elem(0), one_stream(ctx));
  return Outcome::kDone;
}

// HyperConnectionLowRankMix-1: streams [..., C * H], ... [..., H], a gate [..., C], and the
// streams.
//   C1  streams is no scalar     C2  num_branches >= 1
Outcome low_rank_mix(InferContext& ctx) {
  for (const size_t i : {0U, 1U}) ctx.set_tensor(i, ctx.elem(0));
  set_like(ctx, 2, 0, ctx.elem(0));
  const auto branches = head_count(ctx, "num_branches", "C2");
  if (!branches || !ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  ctx.set_tensor(0, ctx.elem(0), one_stream(ctx));
  ctx.set_tensor(1, ctx.elem(0), replaced_last(ctx.shape(0), ctx.lit(*branches)));
  return Outcome::kDone;
}

// MoEGroupRouter-1: logits [..., experts], expert_bias [experts], projection_weight. Three tensors
// [tokens, experts].
//   C1  expert_bias has rank 1
Outcome moe_group_router(InferContext& ctx) {
  const std::array types = {ctx.elem(0), ElemType::kFloat, ElemType::kFloat};
  for (size_t i = 0; i < types.size(); ++i) ctx.set_tensor(i, types[i]);
  if (!ctx.require_rank(1, 1, "C1")) return Outcome::kFailed;
  const Dim experts = shape_or_unknown(ctx, 1, 1)[0];
  Dim tokens;
  if (const Shape* logits = ctx.shape(0); logits != nullptr && !logits->empty()) {
    tokens = element_count(ctx.pool(), std::span(*logits).first(logits->size() - 1));
  }
  for (size_t i = 0; i < types.size(); ++i) ctx.set_tensor(i, types[i], Shape{tokens, experts});
  return Outcome::kDone;
}

// EngramGate-1: key [batch, sequence, branches, hidden], ... Two tensors like key.
//   C1  key has rank 4
Outcome engram_gate(InferContext& ctx) {
  for (const size_t i : {0U, 1U}) set_like(ctx, i, 0, ctx.elem(0));
  return ctx.require_rank(0, 4, "C1") ? Outcome::kDone : Outcome::kFailed;
}

// NGramHashMapping-1: input_ids [batch, sequence]; hashes [batch, sequence, (max_ngram_size - 1) *
// n_head_per_ngram] and the last ids [batch, max_ngram_size - 1].
//   C1  input_ids has rank 2     C2  n_head_per_ngram >= 1
Outcome ngram_hash_mapping(InferContext& ctx) {
  for (const size_t i : {0U, 1U}) ctx.set_tensor(i, ctx.elem(0));
  const auto heads = head_count(ctx, "n_head_per_ngram", "C2");
  if (!ctx.require_rank(0, 2, "C1") || !heads) return Outcome::kFailed;
  const Shape ids = shape_or_unknown(ctx, 0, 2);
  const Dim history = count_attribute(ctx, "max_ngram_size") - 1;
  ctx.set_tensor(0, ctx.elem(0), Shape{ids[0], ids[1], history * *heads});
  ctx.set_tensor(1, ctx.elem(0), Shape{ids[0], history});
  return Outcome::kDone;
}

// VarlenNGramHashMapping-1: input_ids [tokens], multipliers, sizes, cumulative lengths [batch + 1].
// Hashes [tokens, ...], and for each request the last ids, their segments, and updates.
//   C1  input_ids and the lengths have rank 1     C2  n_head_per_ngram >= 1
Outcome varlen_ngram_hash_mapping(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const auto heads = head_count(ctx, "n_head_per_ngram", "C2");
  if (!ctx.require_rank(0, 1, "C1") || !ctx.require_rank(3, 1, "C1") || !heads) {
    return Outcome::kFailed;
  }
  const Dim history = count_attribute(ctx, "max_ngram_size") - 1;
  const Dim batch = shape_or_unknown(ctx, 3, 1)[0] - 1;
  ctx.set_tensor(0, ctx.elem(0), Shape{shape_or_unknown(ctx, 0, 1)[0], history * *heads});
  ctx.set_tensor(1, ctx.elem(0), Shape{batch, history});
  ctx.set_tensor(2, ElemType::kInt32, Shape{batch, history});
  ctx.set_tensor(3, ctx.elem(0),
                 Shape{batch, count_attribute(ctx, "state_update_capacity"), history});
  return Outcome::kDone;
}

constexpr auto kRules =
    std::to_array<OpRule>({{"CausalConvWithState", 1, causal_conv_with_state},
                           {"EngramGate", 1, engram_gate},
                           {"GatedDeltaNet", 1, gated_delta_net},
                           {"GemmaRotaryEmbedding", 1, gemma_rotary_embedding},
                           {"HyperConnectionLowRankMix", 1, low_rank_mix},
                           {"HyperConnectionPreMix", 1, pre_mix},
                           {"LinearAttention", 1, linear_attention},
                           {"LinearAttentionGate", 1, linear_attention_gate},
                           {"MoEGroupRouter", 1, moe_group_router},
                           {"NGramHashMapping", 1, ngram_hash_mapping},
                           {"PackedSparseAttentionIndexer", 1, packed_sparse_attention_indexer},
                           {"PackedSparseAttentionIndexerMerge", 1, packed_indexer_merge},
                           {"RMSNormRotary", 1, rms_norm_rotary},
                           {"SparseAttentionIndexer", 1, sparse_attention_indexer},
                           {"SwiGLU", 1, swiglu},
                           {"VarlenCausalConvWithState", 1, varlen_causal_conv_with_state},
                           {"VarlenNGramHashMapping", 1, varlen_ngram_hash_mapping}});

}  // namespace

std::span<const OpRule> contrib_decoder_rules() { return kRules; }

}  // namespace onnx_shapes
