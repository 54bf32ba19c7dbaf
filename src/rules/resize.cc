// Resize, Upsample, GridSample, AffineGrid and ImageDecoder.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};
constexpr std::array kFloat{ElemType::kFloat};
constexpr std::array kUint8{ElemType::kUint8};
constexpr std::array kFloats{ElemType::kFloat, ElemType::kDouble, ElemType::kFloat16,
                             ElemType::kBfloat16};

/// A float as an exact fraction; unknown if its denominator is above 2^30 or it is not finite.
Scalar fraction(InferContext& ctx, double number) {
  int64_t denominator = 1;
  while (number != std::floor(number) && denominator < (int64_t{1} << 30)) {
    number *= 2;
    denominator *= 2;
  }
  if (!(std::abs(number) < 1e15) || number != std::floor(number)) return {};
  return {ctx.lit(static_cast<int64_t>(number)), denominator};
}

/// floor(dim * scale) of numbers. ONNX Runtime multiplies in single precision, the reference
/// evaluator in double: where rounding makes a difference the result is not known.
std::optional<int64_t> floor_of_product(int64_t dim, int64_t numerator, int64_t denominator) {
  const double scale = static_cast<double>(numerator) / static_cast<double>(denominator);
  const auto in_single =
      std::floor(static_cast<double>(static_cast<float>(dim) * static_cast<float>(scale)));
  const double in_double = std::floor(static_cast<double>(dim) * scale);
  if (in_single != in_double || !(in_double < 1e15)) return std::nullopt;
  return static_cast<int64_t>(in_double);
}

/// The largest numerator and denominator for which dim * scale is exact in single precision for
/// every dim up to 2^16.
constexpr int64_t kExactPart = 256;

/// floor(dim * scale); unknown if it is not sure how that rounds.
Dim scaled(InferContext& ctx, Dim dim, const Scalar& scale, size_t axis) {
  if (!scale.known() || !dim.known()) return {};
  if (scale.numerator.is(scale.denominator) || dim.is(0)) return dim;
  const auto number = dim.number();
  const auto numerator = scale.numerator.number();
  if (number && numerator) {
    const auto product = floor_of_product(*number, *numerator, scale.denominator);
    if (product) return ctx.lit(*product);
  } else if (scale.denominator <= kExactPart && (!numerator || *numerator <= kExactPart)) {
    return floor_div(dim * scale.numerator, scale.denominator);
  }
  const Dim length = ctx.fresh(fmt::format("d{}", axis));
  ctx.at_most(length, dim * ceil_div(scale.numerator, scale.denominator), "bound");
  return length;
}

/// Sets output 0 to the dims of the input, those of `axes` scaled.
///   C1  one scale (or size) an axis    C2  scales and sizes are above 0
Outcome scale_axes(InferContext& ctx, std::span<const size_t> axes,
                   std::span<const Scalar> scales) {
  if (axes.size() != scales.size()) {
    return ctx.fail(Code::kInputValue, "C1",
                    fmt::format("{} scales for {} axes", scales.size(), axes.size()));
  }
  Shape out = *ctx.shape(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (scales[i].known() && scales[i].numerator.bounds().hi <= 0) {
      return ctx.fail(Code::kInputValue, "C2", "a scale is not above 0");
    }
    out[axes[i]] = scaled(ctx, out[axes[i]], scales[i], axes[i]);
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// The dims of a Resize that keeps the aspect ratio: every axis is scaled by the same factor, the
/// smallest (`not_larger`) or largest of size / dim, and rounded to the nearest.
std::optional<std::vector<int64_t>> keeping_aspect(std::span<const int64_t> dims,
                                                   std::span<const int64_t> sizes, bool smallest) {
  size_t chosen = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] <= 0 || dims[i] > INT32_MAX || sizes[i] > INT32_MAX) return std::nullopt;
    const int64_t difference = sizes[i] * dims[chosen] - sizes[chosen] * dims[i];
    if (smallest ? difference < 0 : difference > 0) chosen = i;
  }
  const float factor = static_cast<float>(sizes[chosen]) / static_cast<float>(dims[chosen]);
  std::vector<int64_t> out;
  for (const int64_t dim : dims) {
    const auto exact = static_cast<int64_t>(
        std::floor(static_cast<double>(2 * sizes[chosen]) * static_cast<double>(dim) /
                       static_cast<double>(2 * dims[chosen]) +
                   0.5));
    if (static_cast<int64_t>(std::round(factor * static_cast<float>(dim))) != exact) {
      return std::nullopt;
    }
    out.push_back(exact);
  }
  return out;
}

/// Sets output 0 to the dims of the input, those of `axes` replaced by `sizes`.
Outcome size_axes(InferContext& ctx, std::span<const size_t> axes, const Shape& sizes) {
  if (axes.size() != sizes.size()) {
    return ctx.fail(Code::kInputValue, "C1",
                    fmt::format("{} sizes for {} axes", sizes.size(), axes.size()));
  }
  Shape out = *ctx.shape(0);
  Shape dims;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (const auto number = sizes[i].number(); number && *number <= 0) {
      return ctx.fail(Code::kInputValue, "C2", fmt::format("a size is {}", *number));
    }
    ctx.at_most(ctx.lit(0), sizes[i], "C2");
    dims.push_back(out[axes[i]]);
  }
  const std::string_view policy = ctx.attr_string("keep_aspect_ratio_policy", "stretch");
  const bool smallest = policy == "not_larger";
  const auto numbers = static_shape(dims);
  const auto wanted = static_shape(sizes);
  std::optional<std::vector<int64_t>> kept;
  if (policy != "stretch" && numbers && wanted) kept = keeping_aspect(*numbers, *wanted, smallest);
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim& dim = out[axes[i]];
    if (policy == "stretch" || axes.size() == 1) {
      dim = sizes[i];
    } else if (kept) {
      dim = ctx.lit((*kept)[i]);
    } else {
      dim = ctx.fresh(fmt::format("d{}", axes[i]));
      ctx.at_most(smallest ? dim : sizes[i], smallest ? sizes[i] : dim, "bound");
    }
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

std::vector<size_t> all_axes(size_t rank) {
  std::vector<size_t> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = i;
  return axes;
}

/// The scales in input i: fractions, unknown where they depend on data.
std::optional<Elements> scales_of(InferContext& ctx, size_t i) {
  if (const Elements* scales = ctx.elements(i)) return *scales;
  return std::nullopt;
}

/// An input that is there and not an empty tensor, which stands for one that is left out.
bool is_given(InferContext& ctx, size_t i) {
  if (!ctx.has_input(i)) return false;
  const Shape* shape = ctx.shape(i);
  return shape == nullptr || shape->size() != 1 || !shape->front().is(0);
}

/// Sets the rank of the input with all dims unknown; false if even the rank is not known.
bool set_rank(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.rank(0)) return false;
  ctx.set_tensor(0, ctx.elem(0), shape_of_rank(*ctx.rank(0)));
  return true;
}

/// Upsample-9 and Resize-10: a scale an axis.
Outcome scale_input(InferContext& ctx) {
  const bool ranked = set_rank(ctx);
  if (!ctx.require_elem(1, kFloat, "T") || !ctx.require_rank(1, 1, "C1")) return Outcome::kFailed;
  const auto scales = scales_of(ctx, 1);
  if (!ranked || !scales) return Outcome::kDone;
  return scale_axes(ctx, all_axes(*ctx.rank(0)), *scales);
}

Outcome upsample_7(InferContext& ctx) {
  const bool ranked = set_rank(ctx);
  const auto scales = ctx.attr_floats("scales");
  if (!scales) return ctx.fail(Code::kAttribute, "C1", "the attribute scales is missing");
  if (!ranked) return Outcome::kDone;
  Elements fractions;
  for (const float scale : *scales) fractions.push_back(fraction(ctx, scale));
  return scale_axes(ctx, all_axes(*ctx.rank(0)), fractions);
}

/// Upsample-1: height and width of [N, C, H, W].
Outcome upsample_1(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), shape_of_rank(size_t{4}));
  if (!ctx.require_rank(0, 4, "C1")) return Outcome::kFailed;
  const auto height = ctx.attr_float("height_scale");
  const auto width = ctx.attr_float("width_scale");
  if (!height || !width) {
    return ctx.fail(Code::kAttribute, "C1", "height_scale or width_scale is missing");
  }
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  return scale_axes(ctx, std::array<size_t, 2>{2, 3},
                    std::array{fraction(ctx, *height), fraction(ctx, *width)});
}

/// Resize: floor(dim * scale) or the given sizes, along `axes` (all by default).
///   C1  one scale or size an axis        C2  scales and sizes are above 0
///   C3  either scales or sizes is given  C4  -r <= axis < r, each axis once
/// The specification's formula also multiplies by the extent of roi; ONNX Runtime and the reference
/// evaluator do not, and a roi of [0, 1] makes no difference.
Outcome resize(InferContext& ctx) {
  const bool ranked = set_rank(ctx);
  if (!ctx.require_elem(2, kFloat, "T") || !ctx.require_elem(3, kInt64, "T") ||
      !ctx.require_rank(2, 1, "C1") || !ctx.require_rank(3, 1, "C1")) {
    return Outcome::kFailed;
  }
  const bool scales_given = is_given(ctx, 2);
  const bool sizes_given = is_given(ctx, 3);
  const bool sure = scales_given && sizes_given && ctx.elements(2) && ctx.elements(3);
  if (sure || (!scales_given && !sizes_given)) {
    return ctx.fail(Code::kInputCount, "C3", "either scales or sizes must be given, and only one");
  }
  if (!ranked || scales_given == sizes_given) return Outcome::kDone;
  std::vector<size_t> axes = all_axes(*ctx.rank(0));
  if (const auto named = ctx.attr_ints("axes"); named && !named->empty()) {
    const auto indices = normalise_axes(ctx, *named, axes.size(), "C4", "C4");
    if (!indices) return Outcome::kFailed;
    axes = *indices;
  }
  if (sizes_given) {
    if (const auto sizes = ctx.integers(3)) return size_axes(ctx, axes, *sizes);
  } else if (const auto scales = scales_of(ctx, 2)) {
    return scale_axes(ctx, axes, *scales);
  }
  Shape out = *ctx.shape(0);
  for (const size_t axis : axes) out[axis] = Dim();
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// GridSample: [N, C, D1_out .. Dr_out] for X [N, C, D1 .. Dr] and grid [N, D1_out .. Dr_out, r].
///   C1  X has rank >= 3 and grid the same    C2  both have the same N
///   C3  the last dim of grid is r            C4  grid holds floats
Outcome grid_sample(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kFloats, "C4") || !ctx.require_rank(0, 3, SIZE_MAX, "C1") ||
      !ctx.require_rank(1, 3, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const auto rank = ctx.rank(0) ? ctx.rank(0) : ctx.rank(1);
  if (!rank) return Outcome::kDone;
  if (!ctx.require_rank(1, *rank, "C1")) return Outcome::kFailed;
  Shape out(*rank);
  if (ctx.rank(0)) std::copy_n(ctx.shape(0)->begin(), 2, out.begin());
  if (ctx.rank(1)) {
    const Shape grid = *ctx.shape(1);
    out[0] = ctx.require_equal(out[0], grid[0], "C2", "the batch sizes of X and grid");
    std::copy(grid.begin() + 1, grid.end() - 1, out.begin() + 2);
    ctx.require_equal(grid.back(), ctx.lit(static_cast<int64_t>(*rank) - 2), "C3",
                      "the last dim of grid and the number of spatial axes");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// AffineGrid: [N, H, W, 2] for size (N, C, H, W), [N, D, H, W, 3] for (N, C, D, H, W).
///   C1  theta has rank 3, [N, 2, 3] or [N, 3, 4]    C2  size is 1-D of 4 or 5 elements
///   C3  theta's N is that of size                   C4  theta fits the length of size
Outcome affine_grid(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(0, kFloats, "T1") || !ctx.require_elem(1, kInt64, "T2") ||
      !ctx.require_rank(0, 3, "C1") || !ctx.require_rank(1, 1, "C2")) {
    return Outcome::kFailed;
  }
  Shape theta = ctx.rank(0) ? *ctx.shape(0) : Shape(3);
  const auto length = ctx.rank(1) ? (*ctx.shape(1))[0].number() : std::nullopt;
  if (length && *length != 4 && *length != 5) {
    return ctx.fail(Code::kInputDim, "C2", fmt::format("size has {} elements", *length));
  }
  std::optional<int64_t> spatial = theta[1].number();
  if (length) spatial = *length - 2;
  if (!spatial) return Outcome::kDone;
  if (*spatial != 2 && *spatial != 3) {
    return ctx.fail(Code::kInputDim, "C1", fmt::format("theta has {} rows", *spatial));
  }
  ctx.require_equal(theta[1], ctx.lit(*spatial), "C4", "the rows of theta and the spatial axes");
  ctx.require_equal(theta[2], ctx.lit(*spatial + 1), "C4",
                    "the columns of theta and the spatial axes plus 1");
  Shape out(static_cast<size_t>(*spatial) + 2);
  out[0] = theta[0];
  out.back() = ctx.lit(*spatial);
  const std::optional<Shape> size = ctx.integers(1);
  if (size && size->size() == out.size()) {
    for (const Dim dim : *size) ctx.at_most(ctx.lit(0), dim, "C2");
    out[0] = ctx.require_equal(theta[0], (*size)[0], "C3", "the batch sizes of theta and size");
    std::copy(size->begin() + 2, size->end(), out.begin() + 1);
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// ImageDecoder: [H, W, channels], 3 for RGB and BGR, 1 for Grayscale; H and W are 0 for an image
/// that cannot be decoded.
///   C1  encoded_stream is 1-D of bytes
Outcome image_decoder(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kUint8, shape_of_rank(size_t{3}));
  if (!ctx.require_elem(0, kUint8, "C1") || !ctx.require_rank(0, 1, "C1")) return Outcome::kFailed;
  const int64_t channels = ctx.attr_string("pixel_format", "RGB") == "Grayscale" ? 1 : 3;
  ctx.set_tensor(0, ElemType::kUint8, Shape{Dim(), Dim(), ctx.lit(channels)});
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Resize", 10, scale_input},
    {"Resize", 11, resize},
    {"Upsample", 1, upsample_1},
    {"Upsample", 7, upsample_7},
    {"Upsample", 9, scale_input},
    {"GridSample", 16, grid_sample},
    {"AffineGrid", 20, affine_grid},
    {"ImageDecoder", 20, image_decoder},
});

}  // namespace

std::span<const Family> resize_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
