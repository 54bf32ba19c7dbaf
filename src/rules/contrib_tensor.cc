// Older forms of ONNX operators in ONNX Runtime's own domain, and windows on other layouts.
#include <fmt/format.h>

#include <algorithm>

#include "rules/contrib_shapes.h"
#include "rules/contrib_tables.h"
#include "rules/matmul_shapes.h"
#include "rules/window.h"

namespace onnx_shapes {
namespace {

// Range-1: start, limit, delta (1 by default). max(ceil((limit - start) / delta), 0) elements.
//   C1  all are scalars
Outcome range(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), Shape{Dim()});
  for (size_t i = 0; i < 3; ++i) {
    if (!ctx.require_rank(i, 0, 1, "C1")) return Outcome::kFailed;
  }
  const Dim delta = ctx.has_input(2) ? ctx.scalar_integer(2) : ctx.lit(1);
  if (!is_integer(ctx.elem(0)) || !delta.number() || *delta.number() < 1) return Outcome::kDone;
  const Dim span = ctx.scalar_integer(1) - ctx.scalar_integer(0);
  ctx.set_tensor(0, ctx.elem(0), Shape{max(ceil_div(span, *delta.number()), 0)});
  return Outcome::kDone;
}

// Pad-1: data, pads (begins, then ends), value. Each dim with its begin and end added.
//   C1  pads has a begin and an end for each axis
Outcome pad(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out(x->size());
  if (const auto pads = ctx.integers(1)) {
    if (pads->size() != 2 * x->size()) {
      return ctx.fail(Code::kInputDim, "C1",
                      fmt::format("pads has {} elements for {} axes", pads->size(), x->size()));
    }
    for (size_t i = 0; i < x->size(); ++i) out[i] = (*x)[i] + (*pads)[i] + (*pads)[x->size() + i];
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// GatherND-1: data, indices [..., k]. The leading dims of indices, then the dims of data after k.
//   C1  indices is no scalar     C2  0 <= k <= rank of data
Outcome gather_nd(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(1, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* data = ctx.shape(0);
  const Shape* indices = ctx.shape(1);
  if (data == nullptr || indices == nullptr) return Outcome::kDone;
  const auto depth = indices->back().number();
  if (!depth) return Outcome::kDone;
  if (*depth > static_cast<int64_t>(data->size())) {
    return ctx.fail(Code::kInputDim, "C2",
                    fmt::format("indices name {} axes of {}", *depth, data->size()));
  }
  Shape out(indices->begin(), indices->end() - 1);
  out.insert(out.end(), data->begin() + static_cast<ptrdiff_t>(*depth), data->end());
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// UnfoldTensor-1. Windows of `size` along `dim`, each `step` on, as a new last axis: the dim
// becomes floor((dim - size) / step) + 1.
//   C1  -r <= dim < r     C2  size and step >= 1
Outcome unfold_tensor(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* x = ctx.shape(0);
  const int64_t size = ctx.attr_int("size", 0);
  const int64_t step = ctx.attr_int("step", 1);
  if (size < 1 || step < 1) {
    return ctx.fail(Code::kAttribute, "C2", "size and step must be at least 1");
  }
  if (x == nullptr) return Outcome::kDone;
  const auto axis = normalise_axis(ctx.attr_int("dim", -1), x->size());
  if (!axis) return ctx.fail(Code::kAttribute, "C1", "dim is none of input's axes");
  Shape out = *x;
  out[*axis] = floor_div(out[*axis] - size, step) + 1;
  out.push_back(ctx.lit(size));
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// MaxpoolWithMask-1, NhwcMaxPool-1. As MaxPool; NhwcMaxPool has the channels last.
//   C1  X has rank >= 3     W1 to W6  as for read_window
Outcome max_pool(InferContext& ctx, bool channels_last) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = channels_last ? *channels_moved(x, true) : *x;
  const auto window = read_window(ctx, Shape(out.size() - 2));
  if (!window) return Outcome::kFailed;
  for (size_t i = 2; i < out.size(); ++i) {
    out[i] = pooled_dim(ctx, out[i], *window, i - 2, ctx.attr_int("ceil_mode", 0) != 0);
  }
  ctx.set_tensor(0, ctx.elem(0), channels_last ? *channels_moved(&out, false) : out);
  return Outcome::kDone;
}

Outcome max_pool_with_mask(InferContext& ctx) { return max_pool(ctx, false); }
Outcome nhwc_max_pool(InferContext& ctx) { return max_pool(ctx, true); }

// ComplexMul-1, ComplexMulConj-1. Pairs of real and imaginary parts, which broadcast.
//   C1  A and B broadcast     T1  they are of one type
Outcome complex_mul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_same_elem(0, 1, "T1");
  if (ctx.shape(0) == nullptr || ctx.shape(1) == nullptr) return Outcome::kDone;
  ctx.set_tensor(0, ctx.elem(0), ctx.broadcast_shapes(*ctx.shape(0), *ctx.shape(1), "C1"));
  return Outcome::kDone;
}

// Rfft-1. The last dim L of a real signal to floor(L / 2) + 1 pairs (all L if not onesided).
//   C1  X is no scalar     C2  signal_ndim is 1, 2 or 3
Outcome rfft(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
  const int64_t dims = ctx.attr_int("signal_ndim", 1);
  if (dims < 1 || dims > 3) return ctx.fail(Code::kAttribute, "C2", "signal_ndim is 1, 2 or 3");
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out = *x;
  if (ctx.attr_int("onesided", 1) != 0) out.back() = floor_div(out.back(), 2) + 1;
  out.push_back(ctx.lit(2));
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// Irfft-1. Pairs [..., F, 2] to a real signal [..., 2 * (F - 1)] (F if not onesided).
//   C1  X has rank >= 2     C2  the last dim is 2
Outcome irfft(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  ctx.require_equal(x->back(), ctx.lit(2), "C2", "the parts of a complex number");
  Shape out(x->begin(), x->end() - 1);
  if (ctx.attr_int("onesided", 1) != 0) out.back() = (out.back() - 1) * 2;
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// Output 0 is input 0 with the dims of attribute axes (all by default) made 1, or gone with
/// keepdims = 0.
///   C1  -r <= each of axes < r
Outcome reduce(InferContext& ctx, ElemType elem) {
  ctx.set_tensor(0, elem);
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  std::vector<bool> reduced(x->size(), false);
  const auto axes = ctx.attr_ints("axes");
  if (!axes || axes->empty()) reduced.assign(x->size(), true);
  for (const int64_t axis : axes.value_or(std::span<const int64_t>())) {
    const auto index = normalise_axis(axis, x->size());
    if (!index) {
      return ctx.fail(Code::kAttribute, "C1",
                      fmt::format("axes has {}, but data has rank {}", axis, x->size()));
    }
    reduced[*index] = true;
  }
  const bool keep = ctx.attr_int("keepdims", 1) != 0;
  Shape out;
  for (size_t i = 0; i < x->size(); ++i) {
    if (!reduced[i]) out.push_back((*x)[i]);
    if (reduced[i] && keep) out.push_back(ctx.lit(1));
  }
  ctx.set_tensor(0, elem, std::move(out));
  return Outcome::kDone;
}

// QLinearReduceMean-1.
//   C1  as for reduce
Outcome qlinear_reduce_mean(InferContext& ctx) { return reduce(ctx, ctx.elem(0)); }

// ReduceSumInteger-1. Sums of 8-bit integers in 32 bits, unsigned ones in unsigned ones.
//   C1  as for reduce
Outcome reduce_sum_integer(InferContext& ctx) {
  return reduce(ctx, ctx.elem(0) == ElemType::kUint8  ? ElemType::kUint32
                     : ctx.elem(0) == ElemType::kInt8 ? ElemType::kInt32
                                                      : ElemType::kUndefined);
}

// BitmaskDropout-1, BitmaskBiasDropout-1. Like data; the mask has a bit for each element, 32 in one
// number.
Outcome bitmask_dropout(InferContext& ctx) {
  set_like(ctx, 0, 0, ctx.elem(0));
  const Shape* data = ctx.shape(0);
  const Dim bits = data != nullptr ? element_count(ctx.pool(), *data) : Dim();
  ctx.set_tensor(1, ElemType::kUint32, Shape{ceil_div(bits, 32)});
  return Outcome::kDone;
}

// ConvTransposeWithDynamicPads-1: X [N, C, ...], W [C, M / group, ...], Pads (begins, then ends),
// B. As ConvTranspose, but with the pads of the input.
//   C1  X and W have the same rank >= 3     C2  C is the first dim of W     C3  group >= 1
//   C4  Pads has a begin and an end for each spatial axis
//   C6  output_padding has one number for each spatial axis     W1 to W5  as for read_window
Outcome conv_transpose_with_dynamic_pads(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1") || ctx.shape(0) == nullptr) return Outcome::kDone;
  const Shape x = *ctx.shape(0);
  if (!ctx.require_rank(1, x.size(), "C1")) return Outcome::kFailed;
  const Shape w = shape_or_unknown(ctx, 1, x.size());
  const int64_t group = ctx.attr_int("group", 1);
  if (group < 1) return ctx.fail(Code::kAttribute, "C3", "group must be at least 1");
  ctx.require_equal(x[1], w[0], "C2", "the channels of X and of W");
  const auto window = read_window(ctx, Shape(w.begin() + 2, w.end()));
  if (!window) return Outcome::kFailed;
  const size_t spatial = x.size() - 2;
  Shape pads(2 * spatial, ctx.lit(0));
  if (ctx.has_input(2) && window->auto_pad == AutoPad::kNotSet) {
    pads = ctx.integers(2).value_or(Shape(2 * spatial));
    if (pads.size() != 2 * spatial) {
      return ctx.fail(Code::kInputDim, "C4",
                      fmt::format("Pads has {} elements for {} axes", pads.size(), spatial));
    }
  }
  const auto padding = ctx.attr_ints("output_padding").value_or(std::span<const int64_t>());
  if (!padding.empty() && padding.size() != spatial) {
    return ctx.fail(Code::kAttribute, "C6", "output_padding needs one number for each axis");
  }
  Shape out{x[0], w[1] * group};
  for (size_t i = 0; i < spatial; ++i) {
    const Dim full = transposed_dim(ctx, x[i + 2], *window, i, padding.empty() ? 0 : padding[i]);
    out.push_back(full - pads[i] - pads[spatial + i]);
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// AttnLSTM-1: X [sequence, batch, input], W [directions, 4 * hidden, input], R [directions, 4 *
// hidden, hidden], ... Y [sequence, directions, batch, hidden], the states [directions, batch,
// hidden].
//   C1  X, W and R have rank 3
Outcome attn_lstm(InferContext& ctx) {
  for (size_t i = 0; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0));
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_rank(i, 3, "C1")) return Outcome::kFailed;
  }
  const Shape x = shape_or_unknown(ctx, 0, 3);
  const Dim directions =
      ctx.lit(ctx.attr_string("direction", "forward") == "bidirectional" ? 2 : 1);
  const auto size = ctx.attr_int("hidden_size");
  const Dim hidden = size ? ctx.lit(*size) : shape_or_unknown(ctx, 2, 3)[2];
  ctx.set_tensor(0, ctx.elem(0), Shape{x[0], directions, x[1], hidden});
  for (const size_t i : {1U, 2U}) {
    ctx.set_tensor(i, ctx.elem(0), Shape{directions, x[1], hidden});
  }
  return Outcome::kDone;
}

// SparseToDenseMatMul-1. A' B', where A is sparse and transA and transB swap the last two axes.
//   C1  A has rank 2, B is no scalar     C2, C3  as for matmul_shape
Outcome sparse_to_dense_matmul(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(1));
  if (!ctx.require_rank(0, 2, "C1")) return Outcome::kFailed;
  const auto operand = [&](size_t input, std::string_view transpose) {
    const Shape* shape = ctx.shape(input);
    std::optional<Shape> out = shape != nullptr ? std::optional(*shape) : std::nullopt;
    if (out && out->size() >= 2 && ctx.attr_int(transpose, 0) != 0) {
      std::swap(out->back(), (*out)[out->size() - 2]);
    }
    return out;
  };
  const auto a = operand(0, "transA");
  const auto b = operand(1, "transB");
  ctx.set_tensor(0, ctx.elem(1), matmul_shape(ctx, a ? &*a : nullptr, b ? &*b : nullptr));
  return Outcome::kDone;
}

// GatherBlockQuantized-1: data, indices, scales, ... data's shape with the gather axis replaced by
// indices' shape, of the type of scales. Bytes may pack several numbers along the last axis.
//   C1  gather_axis is one of data's     C2  8 is a multiple of bits
Outcome gather_block_quantized(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(2));
  const Shape* data = ctx.shape(0);
  const Shape* indices = ctx.shape(1);
  const int64_t bits = ctx.attr_int("bits", 4);
  if (bits < 1 || 8 % bits != 0)
    return ctx.fail(Code::kAttribute, "C2", "8 is no multiple of bits");
  if (data == nullptr || indices == nullptr) return Outcome::kDone;
  const auto axis = normalise_axis(ctx.attr_int("gather_axis", 0), data->size());
  if (!axis) return ctx.fail(Code::kAttribute, "C1", "gather_axis is none of data's axes");
  Shape unpacked = *data;
  if (ctx.elem(0) == ElemType::kUint8) unpacked.back() = unpacked.back() * (8 / bits);
  if (ctx.elem(0) == ElemType::kUndefined) unpacked.back() = Dim();
  Shape out(unpacked.begin(), unpacked.begin() + static_cast<ptrdiff_t>(*axis));
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), unpacked.begin() + static_cast<ptrdiff_t>(*axis) + 1, unpacked.end());
  ctx.set_tensor(0, ctx.elem(2), std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules =
    std::to_array<OpRule>({{"AttnLSTM", 1, attn_lstm},
                           {"BitmaskBiasDropout", 1, bitmask_dropout},
                           {"BitmaskDropout", 1, bitmask_dropout},
                           {"ComplexMul", 1, complex_mul},
                           {"ComplexMulConj", 1, complex_mul},
                           {"ConvTransposeWithDynamicPads", 1, conv_transpose_with_dynamic_pads},
                           {"GatherBlockQuantized", 1, gather_block_quantized},
                           {"GatherND", 1, gather_nd},
                           {"Irfft", 1, irfft},
                           {"MaxpoolWithMask", 1, max_pool_with_mask},
                           {"NhwcMaxPool", 1, nhwc_max_pool},
                           {"Pad", 1, pad},
                           {"QLinearReduceMean", 1, qlinear_reduce_mean},
                           {"Range", 1, range},
                           {"ReduceSumInteger", 1, reduce_sum_integer},
                           {"Rfft", 1, rfft},
                           {"SparseToDenseMatMul", 1, sparse_to_dense_matmul},
                           {"UnfoldTensor", 1, unfold_tensor}});

}  // namespace

std::span<const OpRule> contrib_tensor_rules() { return kRules; }

}  // namespace onnx_shapes
