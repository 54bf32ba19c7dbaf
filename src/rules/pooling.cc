// Pools: over windows, over everything, over regions of interest, and the inverse of MaxPool.
#include <fmt/format.h>

#include "rules/numeric_types.h"
#include "rules/rules.h"
#include "rules/window.h"

namespace onnx_shapes {
namespace {

constexpr std::array kPoolTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                   ElemType::kBfloat16, ElemType::kInt8,    ElemType::kUint8};

/// The rank of X: as it is, or as kernel_shape says.
std::optional<size_t> pool_rank(InferContext& ctx) {
  if (const auto rank = ctx.rank(0)) return rank;
  const auto kernel = ctx.attr_ints("kernel_shape");
  return kernel && !kernel->empty() ? std::optional(kernel->size() + 2) : std::nullopt;
}

/// C2, and the shape of a pool's output.
std::optional<Shape> pooled_shape(InferContext& ctx, bool ceil_mode) {
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return std::nullopt;
  const auto rank = pool_rank(ctx);
  if (!rank) return std::nullopt;
  const auto window = read_window(ctx, Shape(*rank - 2));
  if (!window) return std::nullopt;
  Shape out(*rank);
  if (const Shape* x = ctx.shape(0)) {
    out[0] = x->front();
    out[1] = (*x)[1];
    for (size_t i = 2; i < *rank; ++i) {
      out[i] = pooled_dim(ctx, (*x)[i], *window, i - 2, ceil_mode);
    }
  }
  return out;
}

// MaxPool-1, AveragePool-1, LpPool-1. Y [N, C, ...] with the spatial dims of pooled_dim; Indices
// (MaxPool) has the shape of Y. ceil_mode and dilations mean nothing before the opset that brings
// them, but ONNX Runtime follows them wherever they are written.
//   C1  X has rank >= 3     W1 to W6  as for read_window     T1  X holds floats or 8-bit integers
Outcome pool(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(1, ElemType::kInt64);
  ctx.require_elem(0, kPoolTypes, "T1");
  const auto out = pooled_shape(ctx, ctx.attr_int("ceil_mode", 0) != 0);
  ctx.set_tensor(0, ctx.elem(0), out);
  ctx.set_tensor(1, ElemType::kInt64, out);
  return Outcome::kDone;
}

// GlobalMaxPool-1, GlobalAveragePool-1, GlobalLpPool-1. Y [N, C, 1, ...].
//   C1  X has rank >= 2     T1  X holds floats
Outcome global_pool(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C1")) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  Shape out(x->size(), ctx.lit(1));
  out[0] = x->front();
  out[1] = (*x)[1];
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// MaxUnpool-9. The shape is the input output_shape, or [N, C, ...] with the spatial dims of
// transposed_dim.
//   C1  X has rank >= 3     C2  I has the shape of X     C3  output_shape has one size for each
//   axis W1 to W6  as for read_window     T1  X holds floats     T2  I holds 64-bit integers
Outcome max_unpool(InferContext& ctx) {
  constexpr std::array kIndices = {ElemType::kInt64};
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_elem(1, kIndices, "T2");
  if (!ctx.require_rank(0, 3, SIZE_MAX, "C1")) return Outcome::kFailed;
  const auto rank = pool_rank(ctx);
  if (!rank) return Outcome::kDone;
  if (!ctx.require_rank(1, *rank, "C2")) return Outcome::kFailed;
  Shape x(*rank);
  if (const Shape* shape = ctx.shape(0)) x = *shape;
  if (const Shape* indices = ctx.shape(1)) {
    for (size_t i = 0; i < *rank; ++i) {
      x[i] = ctx.require_equal(x[i], (*indices)[i], "C2", "the dims of X and I");
    }
  }
  const auto window = read_window(ctx, Shape(*rank - 2));
  if (!window) return Outcome::kFailed;
  Shape out = x;
  for (size_t i = 2; i < *rank; ++i) out[i] = transposed_dim(ctx, x[i], *window, i - 2, 0);
  if (ctx.has_input(2)) {
    out = ctx.integers(2).value_or(Shape(*rank));
    if (const Shape* sizes = ctx.shape(2)) {
      if (!ctx.require_rank(2, 1, "C3")) return Outcome::kFailed;
      ctx.require_equal(sizes->front(), ctx.lit(static_cast<int64_t>(*rank)), "C3",
                        "the length of output_shape and the rank of X");
      if (out.size() != *rank) return Outcome::kFailed;
    }
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// [num_rois, C, height, width] for the regions of interest of input 1, each of `columns` numbers.
Outcome pool_regions(InferContext& ctx, int64_t columns, int64_t height, int64_t width) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 1, "T1");
  if (!ctx.require_rank(0, 4, "C1") || !ctx.require_rank(1, 2, "C2")) return Outcome::kFailed;
  Shape out{Dim(), Dim(), ctx.lit(height), ctx.lit(width)};
  if (const Shape* x = ctx.shape(0)) out[1] = (*x)[1];
  if (const Shape* rois = ctx.shape(1)) {
    out[0] = rois->front();
    ctx.require_equal((*rois)[1], ctx.lit(columns), "C2", "the numbers of a region");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// MaxRoiPool-1. Y [num_rois, C, pooled_shape...].
//   C1  X has rank 4     C2  rois is [num_rois, 5]     C3  pooled_shape has two sizes >= 1
//   T1  both are of one float type
Outcome max_roi_pool(InferContext& ctx) {
  const auto sizes = ctx.attr_ints("pooled_shape");
  if (!sizes || sizes->size() != 2 || (*sizes)[0] < 1 || (*sizes)[1] < 1) {
    ctx.set_tensor(0, ctx.elem(0));
    return ctx.fail(Code::kAttribute, "C3", "pooled_shape needs two sizes of at least 1");
  }
  return pool_regions(ctx, 5, (*sizes)[0], (*sizes)[1]);
}

// RoiAlign-10. Y [num_rois, C, output_height, output_width].
//   C1  X has rank 4           C2  rois is [num_rois, 4]
//   C3  the sizes are >= 1     C4  batch_indices is [num_rois]
//   T1  X and rois are of one float type
Outcome roi_align(InferContext& ctx) {
  const int64_t height = ctx.attr_int("output_height", 1);
  const int64_t width = ctx.attr_int("output_width", 1);
  if (height < 1 || width < 1) {
    ctx.set_tensor(0, ctx.elem(0));
    return ctx.fail(Code::kAttribute, "C3", "output_height and output_width must be at least 1");
  }
  if (pool_regions(ctx, 4, height, width) == Outcome::kFailed || !ctx.require_rank(2, 1, "C4")) {
    return Outcome::kFailed;
  }
  if (const Shape* indices = ctx.shape(2)) {
    Shape out = *ctx.output(0).shape;
    out[0] = ctx.require_equal(out[0], indices->front(), "C4",
                               "the counts of regions and of batch_indices");
    ctx.set_tensor(0, ctx.elem(0), std::move(out));
  }
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"AveragePool", 1, pool},
                                               {"GlobalAveragePool", 1, global_pool},
                                               {"GlobalLpPool", 1, global_pool},
                                               {"GlobalMaxPool", 1, global_pool},
                                               {"LpPool", 1, pool},
                                               {"MaxPool", 1, pool},
                                               {"MaxRoiPool", 1, max_roi_pool},
                                               {"MaxUnpool", 9, max_unpool},
                                               {"RoiAlign", 10, roi_align}});

}  // namespace

std::span<const Family> pooling_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
