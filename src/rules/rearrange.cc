// Transpose, Expand, Tile, DepthToSpace and SpaceToDepth: elements move or repeat.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};

/// Transpose: dim i of the result is dim perm[i] of data; perm reverses the axes by default.
///   C1  perm is a permutation of the axes
Outcome transpose(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const auto given = ctx.attr_ints("perm");
  const Shape* data = ctx.shape(0);
  if (data == nullptr) {
    if (given) ctx.set_tensor(0, ctx.elem(0), shape_of_rank(given->size()));
    return Outcome::kDone;
  }
  std::vector<size_t> perm;
  if (given) {
    auto axes = normalise_axes(ctx, *given, data->size(), "C1", "C1");
    if (!axes) return Outcome::kFailed;
    perm = std::move(*axes);
    if (perm.size() != data->size()) {
      return ctx.fail(
          Code::kAttribute, "C1",
          fmt::format("perm names {} axes of a tensor of rank {}", perm.size(), data->size()));
    }
  } else {
    for (size_t i = data->size(); i-- > 0;) perm.push_back(i);
  }
  Shape out;
  out.reserve(perm.size());
  for (const size_t axis : perm) out.push_back((*data)[axis]);
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  if (const auto contents = contents_of(ctx, 0)) {
    Index source(perm.size());
    set_each(ctx, 0, [&](const Index& index) {
      for (size_t i = 0; i < perm.size(); ++i) source[perm[i]] = index[i];
      return contents->at(source);
    });
  }
  return Outcome::kDone;
}

/// Each element of output 0 is the one of input 0 at `index` wrapped into the input's dims: how
/// both broadcasting and tiling repeat.
void repeat_elements(InferContext& ctx) {
  const auto contents = contents_of(ctx, 0);
  if (!contents) return;
  const size_t rank = contents->dims.size();
  Index source(rank);
  set_each(ctx, 0, [&](const Index& index) {
    const size_t offset = index.size() - rank;
    for (size_t i = 0; i < rank; ++i) source[i] = index[offset + i] % contents->dims[i];
    return contents->at(source);
  });
}

/// Expand: the shape that input's and `shape` broadcast to.
///   C1  shape is 1-D    C2  its elements are at least 0    C3  both shapes broadcast
Outcome expand(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kInt64, "T") || !ctx.require_rank(1, 1, "C1")) return Outcome::kFailed;
  std::optional<Shape> target = ctx.integers(1);
  if (!target && ctx.rank(1)) target = shape_of_rank((*ctx.shape(1))[0]);
  if (!target) return Outcome::kDone;
  for (const Dim want : *target) {
    if (const auto number = want.number(); number && *number < 0) {
      return ctx.fail(Code::kInputValue, "C2",
                      fmt::format("an element of the new shape is {}", *number),
                      "a size of 1 keeps the dim of the input");
    }
    ctx.at_most(ctx.lit(0), want, "C2");
  }
  const Shape* data = ctx.shape(0);
  if (data == nullptr) return Outcome::kDone;
  ctx.set_tensor(0, ctx.elem(0), ctx.broadcast_shapes(Shape(*data), *target, "C3"));
  repeat_elements(ctx);
  return Outcome::kDone;
}

/// Sets output 0 to the input's dims times the repeats, which are at least 0.
Outcome tile_by(InferContext& ctx, const Shape& repeats) {
  Shape out;
  if (const Shape* data = ctx.shape(0)) {
    const Shape dims = *data;
    const auto rank = static_cast<int64_t>(dims.size());
    if (dims.size() != repeats.size()) {
      return ctx.fail(Code::kInputDim, "C1",
                      fmt::format("{} repeats for a tensor of rank {}", repeats.size(), rank));
    }
    for (size_t i = 0; i < repeats.size(); ++i) {
      if (const auto number = repeats[i].number(); number && *number < 0) {
        return ctx.fail(Code::kInputValue, "C2", fmt::format("a repeat is {}", *number));
      }
      ctx.at_most(ctx.lit(0), repeats[i], "C2");
      out.push_back(dims[i].is(0) ? dims[i] : dims[i] * repeats[i]);
    }
  } else {
    out.resize(repeats.size());
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  repeat_elements(ctx);
  return Outcome::kDone;
}

/// Tile: dim i is dim i of the input times repeats[i].
///   C1  repeats is 1-D, with one element an axis    C2  repeats are at least 0
Outcome tile(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kInt64, "T1") || !ctx.require_rank(1, 1, "C1")) return Outcome::kFailed;
  std::optional<Shape> repeats = ctx.integers(1);
  if (!repeats && ctx.rank(0)) repeats = shape_of_rank(*ctx.rank(0));
  if (!repeats && ctx.rank(1)) repeats = shape_of_rank((*ctx.shape(1))[0]);
  return repeats ? tile_by(ctx, *repeats) : Outcome::kDone;
}

/// Tile-1: `tiles` repeats along `axis`, both scalars of the input's type.
Outcome tile_axis(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* data = ctx.shape(0);
  if (data == nullptr) return Outcome::kDone;
  Shape repeats(data->size());
  const auto axis = ctx.constant_numbers(2);
  if (axis && axis->size() == 1) {
    const auto index = normalise_axis(static_cast<int64_t>(axis->front()), data->size());
    if (!index) return ctx.fail(Code::kInputValue, "C1", "axis is outside of the input's axes");
    repeats.assign(data->size(), ctx.lit(1));
    repeats[*index] = ctx.scalar_integer(1);
  }
  return tile_by(ctx, repeats);
}

/// What DepthToSpace and SpaceToDepth share: rank 4 and a block size of at least 1. The unknown dim
/// if it is missing or wrong.
std::optional<int64_t> block_size(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), shape_of_rank(size_t{4}));
  if (!ctx.require_rank(0, 4, "C1")) return std::nullopt;
  const auto size = ctx.attr_int("blocksize");
  if (!size || *size < 1 || *size > INT32_MAX) {
    ctx.report(Code::kAttribute, "C2", "blocksize must be at least 1");
    return std::nullopt;
  }
  return size;
}

/// `dim` over `by`, which must divide it.
Dim divided(InferContext& ctx, Dim dim, int64_t by, std::string_view what) {
  const Dim quotient = floor_div(dim, by);
  ctx.require_equal(dim, quotient * by, "C3", what);
  return quotient;
}

/// DepthToSpace: [N, C / b^2, H * b, W * b].
///   C1  rank 4    C2  b = blocksize >= 1    C3  b^2 divides C
Outcome depth_to_space(InferContext& ctx) {
  const auto block = block_size(ctx);
  if (!block) return Outcome::kFailed;
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  const Shape dims = *ctx.shape(0);
  const Dim channels = divided(ctx, dims[1], *block * *block,
                               "the channels and the next multiple of blocksize squared");
  ctx.set_tensor(0, ctx.elem(0), Shape{dims[0], channels, dims[2] * *block, dims[3] * *block});
  return Outcome::kDone;
}

/// SpaceToDepth: [N, C * b^2, H / b, W / b].
///   C1  rank 4    C2  b = blocksize >= 1    C3  b divides H and W
Outcome space_to_depth(InferContext& ctx) {
  const auto block = block_size(ctx);
  if (!block) return Outcome::kFailed;
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  const Shape dims = *ctx.shape(0);
  constexpr std::string_view kWhat = "a spatial dim and the next multiple of blocksize";
  const Dim height = divided(ctx, dims[2], *block, kWhat);
  const Dim width = divided(ctx, dims[3], *block, kWhat);
  ctx.set_tensor(0, ctx.elem(0), Shape{dims[0], dims[1] * (*block * *block), height, width});
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Transpose", 1, transpose},
    {"Expand", 8, expand},
    {"Tile", 1, tile_axis},
    {"Tile", 6, tile},
    {"DepthToSpace", 1, depth_to_space},
    {"SpaceToDepth", 1, space_to_depth},
});

}  // namespace

std::span<const Family> rearrange_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
