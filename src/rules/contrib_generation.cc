// Text generation in ONNX Runtime's own domain.
#include <fmt/format.h>

#include "rules/contrib_shapes.h"
#include "rules/contrib_tables.h"

namespace onnx_shapes {
namespace {

// MurmurHash3-1. Like X, in unsigned 32-bit integers, or signed ones with positive = 0.
Outcome murmur_hash(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.attr_int("positive", 1) != 0 ? ElemType::kUint32 : ElemType::kInt32);
  return Outcome::kDone;
}

// RelativePositionBias-1: bias_table [buckets, heads], query_length, key_length. [1, heads,
// query_length, key_length].
//   C1  bias_table has rank 2
Outcome relative_position_bias(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), Shape(4));
  if (!ctx.require_rank(0, 2, "C1")) return Outcome::kFailed;
  const Dim heads = ctx.shape(0) != nullptr ? ctx.shape(0)->back() : Dim();
  ctx.set_tensor(0, ctx.elem(0),
                 Shape{ctx.lit(1), heads, ctx.scalar_integer(1), ctx.scalar_integer(2)});
  return Outcome::kDone;
}

// GatedRelativePositionBias-1: query_layer [batch, sequence, hidden], ... [batch, num_heads,
// sequence, sequence]; with token_offset [batch, sequence] (input 6) the query is [tokens, hidden].
//   C1  query_layer has rank 3, or 2 with token_offset     C2  num_heads >= 1
Outcome gated_relative_position_bias(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), Shape(4));
  const size_t source = ctx.has_input(6) ? 6 : 0;
  if (!ctx.require_rank(0, source == 6 ? 2 : 3, "C1")) return Outcome::kFailed;
  const int64_t heads = ctx.attr_int("num_heads", 0);
  if (heads < 1) return ctx.fail(Code::kAttribute, "C2", "num_heads must be at least 1");
  const Shape* shape = ctx.shape(source);
  if (shape == nullptr || shape->size() < 2) return Outcome::kDone;
  ctx.set_tensor(0, ctx.elem(0), Shape{shape->front(), ctx.lit(heads), (*shape)[1], (*shape)[1]});
  return Outcome::kDone;
}

// RemovePadding-1: input [batch, sequence, hidden], sequence_token_count [batch]. The tokens
// [tokens, hidden], token_offset [batch, sequence], cumulated_seq_len [batch + 1], max_seq_len [1].
//   C1  input has rank 3
Outcome remove_padding(InferContext& ctx) {
  const auto set = [&](const Shape& x) {
    const Dim tokens = ctx.fresh("tokens");
    ctx.at_most(tokens, x[0] * x[1], "token-count");
    ctx.set_tensor(0, ctx.elem(0), Shape{tokens, x[2]});
    ctx.set_tensor(1, ElemType::kInt32, Shape{x[0], x[1]});
    ctx.set_tensor(2, ElemType::kInt32, Shape{x[0] + 1});
    ctx.set_tensor(3, ElemType::kInt32, Shape{ctx.lit(1)});
  };
  if (!ctx.require_rank(0, 3, "C1")) return Outcome::kFailed;
  set(ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(3));
  return Outcome::kDone;
}

// RestorePadding-1: input [tokens, hidden], token_offset [batch, sequence]. [batch, sequence,
// hidden].
//   C1  input and token_offset have rank 2
Outcome restore_padding(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), Shape(3));
  if (!ctx.require_rank(0, 2, "C1") || !ctx.require_rank(1, 2, "C1")) return Outcome::kFailed;
  const Shape x = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(2);
  const Shape offset = ctx.shape(1) != nullptr ? *ctx.shape(1) : Shape(2);
  ctx.set_tensor(0, ctx.elem(0), Shape{offset[0], offset[1], x[1]});
  return Outcome::kDone;
}

// NGramRepeatBlock-1: input_ids [batch, sequence], scores [batch, words]. Like scores.
//   C1  both have rank 2     C2  they have the same batch
Outcome ngram_repeat_block(InferContext& ctx) {
  set_like(ctx, 0, 1, ctx.elem(1));
  if (!ctx.require_rank(0, 2, "C1") || !ctx.require_rank(1, 2, "C1")) return Outcome::kFailed;
  if (ctx.shape(0) != nullptr && ctx.shape(1) != nullptr) {
    ctx.require_equal(ctx.shape(0)->front(), ctx.shape(1)->front(), "C2",
                      "the batches of input_ids and scores");
  }
  return Outcome::kDone;
}

// DynamicTimeWarping-1: input [1, M, N] or [M, N]. The path, [2, steps].
//   C1  input has rank 2 or 3
Outcome dynamic_time_warping(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32, Shape{ctx.lit(2), ctx.fresh("steps")});
  if (!ctx.require_rank(0, 2, 3, "C1")) return Outcome::kFailed;
  return Outcome::kDone;
}

/// The batch of input_ids [batch, sequence].
std::optional<Dim> batch_of_ids(InferContext& ctx) {
  if (!ctx.require_rank(0, 2, "C1")) return std::nullopt;
  return ctx.shape(0) != nullptr ? ctx.shape(0)->front() : Dim();
}

// BeamSearch-1: input_ids, max_length, min_length, num_beams, num_return_sequences, ... sequences
// [batch, num_return_sequences, max_length], their scores [batch, num_return_sequences], and the
// scores of every step, of rank 4.
//   C1  input_ids has rank 2
Outcome beam_search(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32, Shape(3));
  for (const size_t i : {1U, 2U}) ctx.set_tensor(i, ElemType::kFloat, Shape(i == 1 ? 2 : 4));
  const auto batch = batch_of_ids(ctx);
  if (!batch) return Outcome::kFailed;
  const Dim returned = ctx.scalar_integer(4);
  ctx.set_tensor(0, ElemType::kInt32, Shape{*batch, returned, ctx.scalar_integer(1)});
  ctx.set_tensor(1, ElemType::kFloat, Shape{*batch, returned});
  return Outcome::kDone;
}

// GreedySearch-1, Sampling-1: input_ids, max_length, ... sequences [batch, max_length].
//   C1  input_ids has rank 2
Outcome greedy_search(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt32, Shape(2));
  const auto batch = batch_of_ids(ctx);
  if (!batch) return Outcome::kFailed;
  ctx.set_tensor(0, ElemType::kInt32, Shape{*batch, ctx.scalar_integer(1)});
  return Outcome::kDone;
}

// WordConvEmbedding-1: Sequence [words..., characters], W [filters, ...], ... [words..., filters].
//   C1  Sequence is no scalar
Outcome word_conv_embedding(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(1));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* filters = ctx.shape(1);
  ctx.set_tensor(0, ctx.elem(1),
                 replaced_last(ctx.shape(0),
                               filters != nullptr && !filters->empty() ? filters->front() : Dim()));
  return Outcome::kDone;
}

constexpr auto kRules =
    std::to_array<OpRule>({{"BeamSearch", 1, beam_search},
                           {"DynamicTimeWarping", 1, dynamic_time_warping},
                           {"GatedRelativePositionBias", 1, gated_relative_position_bias},
                           {"GreedySearch", 1, greedy_search},
                           {"MurmurHash3", 1, murmur_hash},
                           {"NGramRepeatBlock", 1, ngram_repeat_block},
                           {"RelativePositionBias", 1, relative_position_bias},
                           {"RemovePadding", 1, remove_padding},
                           {"RestorePadding", 1, restore_padding},
                           {"Sampling", 1, greedy_search},
                           {"WhisperBeamSearch", 1, beam_search},
                           {"WordConvEmbedding", 1, word_conv_embedding}});

}  // namespace

std::span<const OpRule> contrib_generation_rules() { return kRules; }

}  // namespace onnx_shapes
