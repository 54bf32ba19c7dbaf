// Attention, its linear and flexible forms, and rotary embeddings.
#include <fmt/format.h>

#include "rules/matmul_shapes.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// Q, K or V taken apart: [batch, heads, sequence, size] in either layout.
struct Heads {
  Dim batch, heads, sequence, size;
};

/// hidden / heads, which is exact in every run that completes.
Dim head_size(InferContext& ctx, Dim hidden, Dim heads) {
  if (!hidden.known() || !heads.known()) return {};
  const Dim exact = exact_quotient(hidden, heads);
  return exact.known() || !ctx.prover().provably_at_least(heads, 1) ? exact
                                                                    : floor_div(hidden, heads);
}

/// Reads input i of rank 3 or 4; all unknown if its rank is. `heads`: the attribute for rank 3.
Heads read_heads(InferContext& ctx, size_t input, std::optional<int64_t> heads) {
  const Shape* shape = ctx.shape(input);
  if (shape == nullptr) return {};
  if (shape->size() == 4) return {(*shape)[0], (*shape)[1], (*shape)[2], (*shape)[3]};
  const Dim count = heads ? ctx.lit(*heads) : Dim();
  return {(*shape)[0], count, (*shape)[1], head_size(ctx, (*shape)[2], count)};
}

void unify(InferContext& ctx, Dim& a, Dim& b, std::string_view label, std::string_view what) {
  a = ctx.require_equal(a, b, label, what);
  b = a;
}

/// C1 and C2: the ranks of Q, K and V; nothing if they are wrong, and 0 if none is known.
std::optional<size_t> common_rank(InferContext& ctx) {
  size_t rank = 0;
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_rank(i, 3, 4, "C1")) return std::nullopt;
    const auto own = ctx.rank(i);
    if (!own) continue;
    if (rank != 0 && *own != rank) {
      ctx.report(Code::kInputRank, "C1", "Q, K and V must have the same rank");
      return std::nullopt;
    }
    rank = *own;
  }
  return rank;
}

/// The number of heads that an attribute gives, which rank 3 needs.
bool check_head_counts(InferContext& ctx, std::optional<int64_t> q, std::optional<int64_t> kv,
                       size_t rank) {
  if (rank == 3 && (!q || !kv)) {
    ctx.report(Code::kAttribute, "C2", "q_num_heads and kv_num_heads are needed for rank 3");
    return false;
  }
  if ((q && *q < 1) || (kv && *kv < 1) || (q && kv && *q % *kv != 0)) {
    ctx.report(Code::kAttribute, "C2",
               fmt::format("q_num_heads is {} and kv_num_heads {}; the first must be a multiple of "
                           "the second",
                           q.value_or(0), kv.value_or(0)));
    return false;
  }
  return true;
}

/// The past of a cache: input i, [batch, heads, past, size]. Nothing if its rank is wrong.
std::optional<Dim> read_past(InferContext& ctx, size_t input, Heads& current) {
  if (!ctx.has_input(input)) return ctx.lit(0);
  if (!ctx.require_rank(input, 4, "C6")) return std::nullopt;
  const Shape* past = ctx.shape(input);
  if (past == nullptr) return Dim();
  current.batch = ctx.require_equal(current.batch, (*past)[0], "C6", "the batches of cache and K");
  current.heads = ctx.require_equal(current.heads, (*past)[1], "C6", "the heads of cache and K");
  current.size = ctx.require_equal(current.size, (*past)[3], "C6", "the sizes of cache and K");
  return (*past)[2];
}

/// C7: the mask broadcasts to [batch, heads, sequence] before its last dim.
bool check_mask(InferContext& ctx, const Heads& q) {
  if (!ctx.require_rank(3, 0, 4, "C7")) return false;
  const Shape* mask = ctx.shape(3);
  if (mask == nullptr || mask->size() < 2) return true;
  require_broadcast_to(ctx, Shape(mask->begin(), mask->end() - 1), {q.batch, q.heads, q.sequence},
                       "C7", "the mask and the scores");
  return true;
}

// Attention-23. Q, K and V are [batch, heads, sequence, size], or of rank 3, [batch, sequence,
// heads * size] with the heads as attributes. Y has Q's layout and V's size; present_key and
// present_value are [batch, kv heads, total, size] with total = past + the sequence of K;
// qk_matmul_output is [batch, q heads, the sequence of Q, total].
//   C1  Q, K and V have the same rank, 3 or 4
//   C2  rank 3 has q_num_heads and kv_num_heads; the first is a multiple of the second
//   C3  Q, K and V have the same batch     C4  K and V have the same heads and sequence
//   C5  Q and K have the same size
//   C6  past_key and past_value are [batch, kv heads, past, size]
//   C7  attn_mask broadcasts to the scores, except for its last dim, which may be shorter
//   T1  Q, K and V hold floats, Q and K of one type
Outcome attention(InferContext& ctx) {
  const ElemType elem = ctx.elem(0) != ElemType::kUndefined ? ctx.elem(0) : ctx.elem(1);
  const auto set = [&](std::optional<Shape> y, std::optional<Shape> key, std::optional<Shape> value,
                       std::optional<Shape> scores) {
    ctx.set_tensor(0, elem, std::move(y));
    ctx.set_tensor(1, elem, std::move(key));
    ctx.set_tensor(2, ctx.elem(2), std::move(value));
    ctx.set_tensor(3, elem, std::move(scores));
  };
  set({}, {}, {}, {});
  for (const size_t i : {0U, 1U, 2U}) ctx.require_elem(i, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  const auto rank = common_rank(ctx);
  const auto q_heads = ctx.attr_int("q_num_heads");
  const auto kv_heads = ctx.attr_int("kv_num_heads");
  if (!rank || !check_head_counts(ctx, q_heads, kv_heads, *rank)) return Outcome::kFailed;
  Heads q = read_heads(ctx, 0, q_heads);
  Heads k = read_heads(ctx, 1, kv_heads);
  Heads v = read_heads(ctx, 2, kv_heads);
  unify(ctx, q.size, k.size, "C5", "the head sizes of Q and K");
  const auto past = read_past(ctx, 4, k);
  const auto past_of_values = read_past(ctx, 5, v);
  if (!past || !past_of_values) return Outcome::kFailed;
  unify(ctx, q.batch, k.batch, "C3", "the batches of Q and K");
  unify(ctx, q.batch, v.batch, "C3", "the batches of Q and V");
  k.batch = q.batch;
  unify(ctx, k.heads, v.heads, "C4", "the heads of K and V");
  unify(ctx, k.sequence, v.sequence, "C4", "the sequences of K and V");
  const Dim before = ctx.require_equal(*past, *past_of_values, "C6", "the pasts of K and V");
  if (!check_mask(ctx, q)) return Outcome::kFailed;
  const Dim total = before + k.sequence;
  std::optional<Shape> y;
  if (*rank == 3) {
    // With as many heads on both sides the sizes need not be taken apart.
    const bool whole = q_heads == kv_heads && ctx.shape(2) != nullptr;
    y = Shape{q.batch, q.sequence, whole ? ctx.shape(2)->back() : q.heads * v.size};
  }
  if (*rank == 4) y = Shape{q.batch, q.heads, q.sequence, v.size};
  set(std::move(y), Shape{k.batch, k.heads, total, k.size}, Shape{k.batch, k.heads, total, v.size},
      Shape{q.batch, q.heads, q.sequence, total});
  return Outcome::kDone;
}

/// A modifier of FlexAttention keeps the shape and type of the scores that it gets.
void infer_modifier(InferContext& ctx, std::string_view name, const Fact& scores) {
  if (const ScopeId body = ctx.attr_graph(name); body != kNoId) {
    static_cast<void>(ctx.infer_body(body, std::span(&scores, 1), false));
  }
}

// FlexAttention-1 (ai.onnx.preview). Y [batch, q heads, the sequence of Q, the size of V].
//   C1  Q, K and V have rank 4             C3  they have the same batch
//   C4  K and V have the same heads and sequence     C5  Q and K have the same size
//   T1  they are of one float type
Outcome flex_attention(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  for (const size_t i : {1U, 2U}) ctx.require_same_elem(0, i, "T1");
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_rank(i, 4, "C1")) return Outcome::kFailed;
  }
  Heads q = read_heads(ctx, 0, {});
  Heads k = read_heads(ctx, 1, {});
  Heads v = read_heads(ctx, 2, {});
  unify(ctx, q.batch, k.batch, "C3", "the batches of Q and K");
  unify(ctx, q.batch, v.batch, "C3", "the batches of Q and V");
  unify(ctx, k.heads, v.heads, "C4", "the heads of K and V");
  unify(ctx, k.sequence, v.sequence, "C4", "the sequences of K and V");
  unify(ctx, q.size, k.size, "C5", "the head sizes of Q and K");
  const ElemType precision =
      elem_type(ctx.attr_int("softmax_precision", ctx.elem(0) == ElemType::kDouble ? 11 : 1));
  const Fact scores = Fact::tensor(precision, Shape{q.batch, q.heads, q.sequence, k.sequence});
  infer_modifier(ctx, "score_mod", scores);
  infer_modifier(ctx, "prob_mod", scores);
  ctx.set_tensor(0, ctx.elem(0), Shape{q.batch, q.heads, q.sequence, v.size});
  return Outcome::kDone;
}

// LinearAttention-27. query [B, T, Hq * dk], key [B, T, Hkv * dk], value [B, T, Hkv * dv]; output
// [B, T, Hq * dv], present_state [B, Hkv, dk, dv].
//   C1  query, key and value have rank 3     C2  q_num_heads is a multiple of kv_num_heads
//   C3  query, key and value have the same B and T
//   C5  query and key have the same dk       C6  past_state is [B, Hkv, dk, dv]
//   T1  query, key and value are of one float type
Outcome linear_attention(InferContext& ctx) {
  const ElemType state_elem = ctx.has_input(3) ? ctx.elem(3) : ctx.elem(0);
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(1, state_elem);
  ctx.require_elem(0, kFloatTypes, "T1");
  for (const size_t i : {1U, 2U}) ctx.require_same_elem(0, i, "T1");
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_rank(i, 3, "C1")) return Outcome::kFailed;
  }
  const auto q_heads = ctx.attr_int("q_num_heads");
  const auto kv_heads = ctx.attr_int("kv_num_heads");
  if (!check_head_counts(ctx, q_heads, kv_heads, 3)) return Outcome::kFailed;
  Heads q = read_heads(ctx, 0, q_heads);
  Heads k = read_heads(ctx, 1, kv_heads);
  Heads v = read_heads(ctx, 2, kv_heads);
  for (Heads* other : {&k, &v}) {
    unify(ctx, q.batch, other->batch, "C3", "the batches of query, key and value");
    unify(ctx, q.sequence, other->sequence, "C3", "the lengths of query, key and value");
  }
  unify(ctx, q.size, k.size, "C5", "the head sizes of query and key");
  Shape state{q.batch, ctx.lit(*kv_heads), k.size, v.size};
  if (!ctx.require_rank(3, 4, "C6")) return Outcome::kFailed;
  if (const Shape* past = ctx.shape(3)) {
    for (size_t i = 0; i < 4; ++i) {
      state[i] = ctx.require_equal(state[i], (*past)[i], "C6", "past_state and present_state");
    }
  }
  ctx.set_tensor(0, ctx.elem(0), Shape{state[0], q.sequence, state[3] * *q_heads});
  ctx.set_tensor(1, state_elem, std::move(state));
  return Outcome::kDone;
}

// RotaryEmbedding-23. Y like X, which is [batch, heads, sequence, size] or [batch, sequence,
// hidden].
//   C1  X has rank 3 or 4     C2  rank 3 has num_heads >= 1
//   C3  the caches have the same shape, of rank 2 with position_ids, else of rank 3
//   C4  position_ids has rank 2
//   T1  X and the caches are of one float type     T2  position_ids holds 64-bit integers
Outcome rotary_embedding(InferContext& ctx) {
  constexpr std::array kPositions = {ElemType::kInt64};
  const Shape* x = ctx.shape(0);
  ctx.set_tensor(0, ctx.elem(0), x != nullptr ? std::optional(*x) : std::nullopt);
  ctx.require_elem(0, kFloatTypes, "T1");
  for (const size_t i : {1U, 2U}) ctx.require_same_elem(0, i, "T1");
  ctx.require_elem(3, kPositions, "T2");
  if (!ctx.require_rank(0, 3, 4, "C1")) return Outcome::kFailed;
  if (x != nullptr && x->size() == 3 && ctx.attr_int("num_heads", 0) < 1) {
    return ctx.fail(Code::kAttribute, "C2", "num_heads is needed for rank 3");
  }
  const size_t cache_rank = ctx.has_input(3) ? 2 : 3;
  if (!ctx.require_rank(1, cache_rank, "C3") || !ctx.require_rank(2, cache_rank, "C3") ||
      !ctx.require_rank(3, 2, "C4")) {
    return Outcome::kFailed;
  }
  const Shape* cosines = ctx.shape(1);
  const Shape* sines = ctx.shape(2);
  for (size_t i = 0; cosines != nullptr && sines != nullptr && i < cache_rank; ++i) {
    ctx.require_equal((*cosines)[i], (*sines)[i], "C3", "the dims of cos_cache and sin_cache");
  }
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"Attention", 23, attention},
                                               {"LinearAttention", 27, linear_attention},
                                               {"RotaryEmbedding", 23, rotary_embedding}});
constexpr auto kPreviewRules = std::to_array<OpRule>({{"FlexAttention", 1, flex_attention}});

}  // namespace

std::span<const Family> attention_family() {
  static constexpr std::array kFamilies = {Family{"", kRules},
                                           Family{"ai.onnx.preview", kPreviewRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
