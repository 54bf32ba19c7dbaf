// Operators of ONNX Runtime's own domain: what its optimizer fuses, and what exporters write.
#include <fmt/format.h>

#include <algorithm>

#include "rules/contrib_shapes.h"
#include "rules/contrib_tables.h"
#include "rules/matmul_shapes.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"
#include "rules/window.h"

namespace onnx_shapes {

void set_like(InferContext& ctx, size_t output, size_t input, ElemType elem) {
  const Shape* shape = ctx.shape(input);
  ctx.set_tensor(output, elem, shape != nullptr ? std::optional(*shape) : std::nullopt);
}

std::optional<Shape> replaced_last(const Shape* shape, Dim last) {
  if (shape == nullptr || shape->empty()) return std::nullopt;
  Shape out = *shape;
  out.back() = last;
  return out;
}

std::optional<Shape> channels_moved(const Shape* shape, bool to_second) {
  if (shape == nullptr || shape->size() < 3) return std::nullopt;
  Shape out = *shape;
  if (to_second) {
    std::rotate(out.begin() + 1, out.end() - 1, out.end());
  } else {
    std::rotate(out.begin() + 1, out.begin() + 2, out.end());
  }
  return out;
}

namespace {

// Activations and other functions of each element; a bias broadcasts to X.
//   T1  X holds floats
Outcome like_input(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  return Outcome::kDone;
}

// BiasGelu, FastGelu. Like X; the bias broadcasts to it.
//   C1  the bias broadcasts to X     T1  X holds floats
Outcome biased(InferContext& ctx) {
  const Outcome outcome = like_input(ctx);
  if (ctx.shape(0) != nullptr && ctx.shape(1) != nullptr) {
    require_broadcast_to(ctx, *ctx.shape(1), *ctx.shape(0), "C1", "the bias and X");
  }
  return outcome;
}

// BiasDropout: data, bias, residual, ratio, training_mode. Like data, with a mask.
Outcome bias_dropout(InferContext& ctx) {
  set_like(ctx, 1, 0, ElemType::kBool);
  return like_input(ctx);
}

// BiasSplitGelu-1. Half of X's channels gate the other half.
//   C1  X has rank 3     C2  the bias has X's channels     T1  X holds floats
Outcome bias_split_gelu(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(1, 1, "C2")) return Outcome::kFailed;
  Shape out = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(3);
  if (ctx.shape(1) != nullptr) {
    out[2] = ctx.require_equal(out[2], ctx.shape(1)->front(), "C2", "the channels of X and bias");
  }
  out[2] = floor_div(out[2], 2);
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// An operand of FusedMatMul as matmul_shape takes it.
std::optional<Shape> matmul_operand(InferContext& ctx, size_t input, std::string_view transpose,
                                    std::string_view transpose_batch) {
  const Shape* shape = ctx.shape(input);
  if (shape == nullptr) return std::nullopt;
  Shape out = *shape;
  const size_t rank = out.size();
  if (rank < 2) return out;
  // transBatch: the first axis is the row, the axes after it are the batch.
  if (ctx.attr_int(transpose_batch, 0) != 0) {
    std::rotate(out.begin(), out.begin() + 1, out.end() - 1);
  }
  if (ctx.attr_int(transpose, 0) != 0) std::swap(out[rank - 2], out[rank - 1]);
  return out;
}

// FusedMatMul-1, TransposeMatMul-1, FusedMatMulActivation-1. alpha * A' B', where transA and transB
// swap the last two axes (not of a vector), and transBatchA and transBatchB move the first axis
// before the last.
//   C1 to C3  as for matmul_shape     T1  A and B are of one type
Outcome fused_matmul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_same_elem(0, 1, "T1");
  const auto a = matmul_operand(ctx, 0, "transA", "transBatchA");
  const auto b = matmul_operand(ctx, 1, "transB", "transBatchB");
  ctx.set_tensor(0, ctx.elem(0), matmul_shape(ctx, a ? &*a : nullptr, b ? &*b : nullptr));
  return Outcome::kDone;
}

// GemmFastGelu-1. FastGelu of X W + bias.
//   C1 to C3  as for matmul_shape
Outcome plain_matmul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), matmul_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// FusedGemm-1. Gemm and an activation.
//   C1  A and B have rank 2     C2  their inner dims are equal
Outcome fused_gemm(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), gemm_shape(ctx, 0, 1));
  return Outcome::kDone;
}

// FusedConv-1. Conv, the sum with Z, and an activation.
//   C1 to C3, W1 to W6  as for convolved_shape     T1  X and W are of one type
Outcome fused_conv(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_same_elem(0, 1, "T1");
  ctx.set_tensor(0, ctx.elem(0), convolved_shape(ctx, ctx.shape(0), ctx.shape(1)));
  return Outcome::kDone;
}

// NhwcConv-1, NhwcFusedConv-1. Conv of X [N, ..., C] to [N, ..., M]; W is [M, C / group, ...].
//   C1 to C3, W1 to W6  as for convolved_shape
Outcome nhwc_conv(InferContext& ctx) {
  const auto x = channels_moved(ctx.shape(0), true);
  const auto out = convolved_shape(ctx, x ? &*x : nullptr, ctx.shape(1));
  ctx.set_tensor(0, ctx.elem(0), out ? channels_moved(&*out, false) : std::nullopt);
  return Outcome::kDone;
}

// SkipLayerNormalization-1, SkipSimplifiedLayerNormalization-1. Y like input; Mean and InvStdDev
// have 1 in place of the last dim, and the sum is like input.
//   C1  input has rank >= 2     C2  skip broadcasts to input     C3  gamma has input's last dim
//   T1  input and skip are of one float type
Outcome skip_layer_normalization(InferContext& ctx) {
  for (const size_t output : {0U, 3U}) set_like(ctx, output, 0, ctx.elem(0));
  for (const size_t output : {1U, 2U}) {
    ctx.set_tensor(output, ElemType::kFloat, replaced_last(ctx.shape(0), ctx.lit(1)));
  }
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  const Shape* x = ctx.shape(0);
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C1") || !ctx.require_rank(2, 1, "C3")) {
    return Outcome::kFailed;
  }
  if (x == nullptr) return Outcome::kDone;
  if (ctx.shape(1) != nullptr) {
    require_broadcast_to(ctx, *ctx.shape(1), *x, "C2", "skip and input");
  }
  if (ctx.shape(2) != nullptr) {
    ctx.require_equal(x->back(), ctx.shape(2)->front(), "C3", "the last dim of input and gamma");
  }
  return Outcome::kDone;
}

// GroupNorm-1, SkipGroupNorm-1. Y like X [N, ..., C]; SkipGroupNorm's sum is like X too.
//   C1  X has rank 4
Outcome group_norm(InferContext& ctx) {
  for (const size_t output : {0U, 1U}) set_like(ctx, output, 0, ctx.elem(0));
  return ctx.require_rank(0, 4, "C1") ? Outcome::kDone : Outcome::kFailed;
}

// EmbedLayerNormalization-1, QEmbedLayerNormalization-1. input_ids [batch, sequence] and the word
// embeddings [words, hidden] to [batch, sequence, hidden], mask_index [batch], and (without
// quantization) the sum before the normalization.
//   C1  input_ids has rank 2     C2  the word embeddings have rank 2
Outcome embed_layer_normalization(InferContext& ctx) {
  // The quantized form takes floats for its scales: input 8 is the first.
  const bool quantized = is_integer(ctx.elem(2));
  const ElemType elem = quantized ? ctx.elem(8) : ctx.elem(2);
  ctx.set_tensor(0, elem);
  ctx.set_tensor(1, ElemType::kInt32);
  ctx.set_tensor(2, elem);
  if (!ctx.require_rank(0, 2, "C1") || !ctx.require_rank(2, 2, "C2")) return Outcome::kFailed;
  const Shape ids = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(2);
  const Shape out{ids[0], ids[1], ctx.shape(2) != nullptr ? ctx.shape(2)->back() : Dim()};
  ctx.set_tensor(0, elem, out);
  ctx.set_tensor(1, ElemType::kInt32, Shape{ids[0]});
  ctx.set_tensor(2, elem, out);
  return Outcome::kDone;
}

// Inverse-1. Like X, whose last two dims are equal.
//   C1  X has rank >= 2     C2  the last two dims are equal
Outcome inverse(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = *x;
  out.back() = ctx.require_equal(out[out.size() - 2], out.back(), "C2", "the dims of a matrix");
  out[out.size() - 2] = out.back();
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// Trilu-1. Like X.
//   C1  X has rank >= 2
Outcome trilu(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  return ctx.require_rank(0, 2, SIZE_MAX, "C1") ? Outcome::kDone : Outcome::kFailed;
}

// Unique-1. The distinct elements of a vector, the index of each element among them, and counts.
//   C1  x has rank 1
Outcome unique(InferContext& ctx) {
  const Dim count = ctx.fresh("n");
  ctx.set_tensor(0, ctx.elem(0), Shape{count});
  ctx.set_tensor(1, ElemType::kInt64, Shape{Dim()});
  ctx.set_tensor(2, ElemType::kInt64, Shape{count});
  if (!ctx.require_rank(0, 1, "C1")) return Outcome::kFailed;
  if (const Shape* x = ctx.shape(0)) {
    ctx.at_most(count, x->front(), "unique-count");
    ctx.set_tensor(1, ElemType::kInt64, *x);
  }
  return Outcome::kDone;
}

// ExpandDims-1. X with a dim 1 at `axis`, which counts from the end of the result if negative.
//   C1  axis is a scalar in [-r - 1, r]
Outcome expand_dims(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* x = ctx.shape(0);
  if (!ctx.require_rank(1, 0, 1, "C1")) return Outcome::kFailed;
  if (x == nullptr) return Outcome::kDone;
  const auto axis = ctx.scalar_integer(1).number();
  if (!axis) {
    ctx.set_tensor(0, ctx.elem(0), Shape(x->size() + 1));
    return Outcome::kDone;
  }
  const auto index = normalise_axis(*axis, x->size() + 1);
  if (!index) {
    return ctx.fail(Code::kInputValue, "C1",
                    fmt::format("axis is {}, but X has rank {}", *axis, x->size()));
  }
  Shape out = *x;
  out.insert(out.begin() + static_cast<ptrdiff_t>(*index), ctx.lit(1));
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// CropAndResize-1. [regions, C, crop_size...] of X [N, C, H, W] and rois [regions, 4].
//   C1  X has rank 4     C2  rois is [regions, 4]     C3  crop_size has 2 elements
Outcome crop_and_resize(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 4, "C1") || !ctx.require_rank(1, 2, "C2")) return Outcome::kFailed;
  Shape out(4);
  if (const Shape* x = ctx.shape(0)) out[1] = (*x)[1];
  if (const Shape* rois = ctx.shape(1)) {
    out[0] = rois->front();
    ctx.require_equal(rois->back(), ctx.lit(4), "C2", "the numbers of a region");
  }
  if (const auto size = ctx.integers(3)) {
    if (size->size() != 2) return ctx.fail(Code::kInputDim, "C3", "crop_size needs 2 elements");
    out[2] = (*size)[0];
    out[3] = (*size)[1];
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// GridSample-1. X [N, C, H, W] and grid [N, Hout, Wout, 2] to [N, C, Hout, Wout].
//   C1  X and grid have rank 4     C2  they have the same batch     C3  grid's last dim is 2
Outcome grid_sample(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 4, "C1") || !ctx.require_rank(1, 4, "C1")) return Outcome::kFailed;
  const Shape x = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(4);
  const Shape grid = ctx.shape(1) != nullptr ? *ctx.shape(1) : Shape(4);
  ctx.require_equal(grid[3], ctx.lit(2), "C3", "the coordinates of a point");
  ctx.set_tensor(0, ctx.elem(0),
                 Shape{ctx.require_equal(x[0], grid[0], "C2", "the batches of X and grid"), x[1],
                       grid[1], grid[2]});
  return Outcome::kDone;
}

// Tokenizer-1. The tokens of each string of X [C] or [N, C]: X's shape and the longest count. (Of
// no strings at all ONNX Runtime makes a tensor of another rank; that run is left out of account.)
//   C1  X has rank 1 or 2     T1  X holds strings
Outcome tokenizer(InferContext& ctx) {
  constexpr std::array kStrings = {ElemType::kString};
  ctx.set_tensor(0, ElemType::kString);
  ctx.require_elem(0, kStrings, "T1");
  if (!ctx.require_rank(0, 1, 2, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = *x;
  out.push_back(ctx.fresh("tokens"));
  ctx.set_tensor(0, ElemType::kString, std::move(out));
  return Outcome::kDone;
}

// BifurcationDetector-1. Tokens, whose count depends on where they part, and the length of the
// matching suffix, a scalar.
Outcome bifurcation_detector(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt64, Shape{ctx.fresh("tokens")});
  ctx.set_tensor(1, ElemType::kInt64, Shape{});
  return Outcome::kDone;
}

// CDist-1. The distances of the rows of A [M, K] and B [N, K]: [M, N].
//   C1  A and B have rank 2     C2  their last dims are equal
Outcome cdist(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), Shape(2));
  if (!ctx.require_rank(0, 2, "C1") || !ctx.require_rank(1, 2, "C1")) return Outcome::kFailed;
  const Shape a = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(2);
  const Shape b = ctx.shape(1) != nullptr ? *ctx.shape(1) : Shape(2);
  ctx.require_equal(a[1], b[1], "C2", "the columns of A and B");
  ctx.set_tensor(0, ctx.elem(0), Shape{a[0], b[0]});
  return Outcome::kDone;
}

// IsAllFinite-1. A bool of rank 0.
Outcome is_all_finite(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kBool, Shape{});
  return Outcome::kDone;
}

// TorchEmbedding-1. The rows of weight [words, size] that the indices name: [indices..., size].
//   C1  weight has rank 2
Outcome torch_embedding(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 2, "C1")) return Outcome::kFailed;
  const Shape* indices = ctx.shape(1);
  if (indices == nullptr) return Outcome::kDone;
  Shape out = *indices;
  out.push_back(ctx.shape(0) != nullptr ? ctx.shape(0)->back() : Dim());
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules =
    std::to_array<OpRule>({{"BiasAdd", 1, like_input},
                           {"BiasDropout", 1, bias_dropout},
                           {"BiasGelu", 1, biased},
                           {"BiasSoftmax", 1, like_input},
                           {"BiasSplitGelu", 1, bias_split_gelu},
                           {"BranchwiseRMSNorm", 1, like_input},
                           {"BifurcationDetector", 1, bifurcation_detector},
                           {"CDist", 1, cdist},
                           {"CropAndResize", 1, crop_and_resize},
                           {"EmbedLayerNormalization", 1, embed_layer_normalization},
                           {"ExpandDims", 1, expand_dims},
                           {"FastGelu", 1, biased},
                           {"FusedConv", 1, fused_conv},
                           {"FusedGemm", 1, fused_gemm},
                           {"FusedMatMul", 1, fused_matmul},
                           {"FusedMatMulActivation", 1, fused_matmul},
                           {"Gelu", 1, like_input},
                           {"GatedAdd", 1, like_input},
                           {"GatedRMSNorm", 1, like_input},
                           {"GemmFastGelu", 1, plain_matmul},
                           {"GridSample", 1, grid_sample},
                           {"GroupNorm", 1, group_norm},
                           {"HyperConnectionPostMix", 1, like_input},
                           {"Inverse", 1, inverse},
                           {"IsAllFinite", 1, is_all_finite},
                           {"MoE", 1, like_input},
                           {"MoEPacked", 1, like_input},
                           {"NhwcConv", 1, nhwc_conv},
                           {"NhwcFusedConv", 1, nhwc_conv},
                           {"QEmbedLayerNormalization", 1, embed_layer_normalization},
                           {"QMoE", 1, like_input},
                           {"QuickGelu", 1, like_input},
                           {"SampleOp", 1, like_input},
                           {"ScaledSiLU", 1, like_input},
                           {"SkipGroupNorm", 1, group_norm},
                           {"SkipLayerNormalization", 1, skip_layer_normalization},
                           {"SkipSimplifiedLayerNormalization", 1, skip_layer_normalization},
                           {"Tokenizer", 1, tokenizer},
                           {"TorchEmbedding", 1, torch_embedding},
                           {"TransposeMatMul", 1, fused_matmul},
                           {"Trilu", 1, trilu},
                           {"Unique", 1, unique}});

}  // namespace

std::span<const Family> contrib_family() {
  static const std::array families = {Family{"com.microsoft", kRules},
                                      Family{"com.microsoft", contrib_decoder_rules()},
                                      Family{"com.microsoft", contrib_generation_rules()},
                                      Family{"com.microsoft", contrib_packed_rules()},
                                      Family{"com.microsoft", contrib_tensor_rules()}};
  return families;
}

}  // namespace onnx_shapes
