// Pad, CenterCropPad, Trilu, ReverseSequence and TensorScatter: the rank stays.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};
constexpr std::array kIndexTypes{ElemType::kInt32, ElemType::kInt64};

/// Sets the elements of a Pad in mode `constant`: data moved by `begin`, the filling elsewhere.
void pad_elements(InferContext& ctx, std::span<const int64_t> begin, const Scalar& filling) {
  const auto contents = contents_of(ctx, 0);
  if (!contents) return;
  Index source(begin.size());
  set_each(ctx, 0, [&](const Index& index) {
    for (size_t i = 0; i < begin.size(); ++i) {
      source[i] = index[i] - begin[i];
      if (source[i] < 0 || source[i] >= contents->dims[i]) return filling;
    }
    return contents->at(source);
  });
}

/// Pad: dim + begin + end along each named axis; a negative pad removes elements.
///   C1  pads holds a begin and an end for each axis
///   C2  -r <= axis < r    C3  the axes are distinct    C4  no axis gets shorter than 0
/// `filling`: what mode `constant` adds; nothing in the other modes.
Outcome pad_by(InferContext& ctx, std::span<const int64_t> axes, const Shape& pads,
               const std::optional<Scalar>& filling) {
  const Shape dims = *ctx.shape(0);
  const auto indices = normalise_axes(ctx, axes, dims.size(), "C2", "C3");
  if (!indices) return Outcome::kFailed;
  const size_t count = indices->size();
  if (pads.size() != 2 * count) {
    return ctx.fail(Code::kInputValue, "C1", fmt::format("{} pads for {} axes", pads.size(), count),
                    "pads holds all begins and then all ends");
  }
  Shape out = dims;
  std::vector<int64_t> begins(dims.size(), 0);
  bool static_begins = true;
  for (size_t i = 0; i < count; ++i) {
    Dim& dim = out[(*indices)[i]];
    dim = dim + pads[i] + pads[count + i];
    if (dim.known() && dim.bounds().hi < 0) {
      return ctx.fail(Code::kInputValue, "C4",
                      fmt::format("axis {} would get a negative length", (*indices)[i]));
    }
    ctx.at_most(ctx.lit(0), dim, "C4");
    const auto begin = pads[i].number();
    static_begins = static_begins && begin && *begin > INT32_MIN && *begin < INT32_MAX;
    if (begin) begins[(*indices)[i]] = *begin;
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  if (filling && static_begins) pad_elements(ctx, begins, *filling);
  return Outcome::kDone;
}

std::vector<int64_t> all_axes(size_t rank) {
  std::vector<int64_t> axes(rank);
  for (size_t i = 0; i < rank; ++i) axes[i] = static_cast<int64_t>(i);
  return axes;
}

Outcome pad_attribute(InferContext& ctx, std::string_view name) {
  ctx.set_tensor(0, ctx.elem(0));
  const auto pads = ctx.attr_ints(name);
  if (!pads)
    return ctx.fail(Code::kAttribute, "C1", fmt::format("the attribute {} is missing", name));
  if (ctx.shape(0) == nullptr) {
    ctx.set_tensor(0, ctx.elem(0), shape_of_rank(pads->size() / 2));
    return Outcome::kDone;
  }
  return pad_by(ctx, all_axes(*ctx.rank(0)), ctx.lits(*pads), std::nullopt);
}
Outcome pad_1(InferContext& ctx) { return pad_attribute(ctx, "paddings"); }
Outcome pad_2(InferContext& ctx) { return pad_attribute(ctx, "pads"); }

/// What mode `constant` adds: input 2, or 0.
std::optional<Scalar> filling_of(InferContext& ctx) {
  if (ctx.attr_string("mode", "constant") != "constant") return std::nullopt;
  if (!ctx.has_input(2)) return Scalar{ctx.lit(0), 1};
  const Elements* value = ctx.elements(2);
  return value != nullptr && value->size() == 1 ? value->front() : Scalar();
}

Outcome pad_inputs(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kInt64, "T") || !ctx.require_same_elem(0, 2, "T") ||
      !ctx.require_elem(3, kIndexTypes, "Tind")) {
    return Outcome::kFailed;
  }
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  const size_t rank = *ctx.rank(0);
  ctx.set_tensor(0, ctx.elem(0), shape_of_rank(rank));
  std::optional<std::vector<int64_t>> axes = all_axes(rank);
  if (ctx.has_input(3)) axes = ctx.constant_integers(3);
  if (!axes) return Outcome::kDone;
  if (const std::optional<Shape> pads = ctx.integers(1)) {
    return pad_by(ctx, *axes, *pads, filling_of(ctx));
  }
  // Only the axes that are named change.
  const auto changed = normalise_axes(ctx, *axes, rank, "C2", "C3");
  if (!changed) return Outcome::kFailed;
  Shape out = *ctx.shape(0);
  for (const size_t axis : *changed) out[axis] = Dim();
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// CenterCropPad: the named axes get the lengths that `shape` holds.
///   C1  shape is 1-D, with a length for each axis
///   C2  -r <= axis < r    C3  the axes are distinct    C4  lengths are at least 0
Outcome center_crop_pad(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kIndexTypes, "Tind") || !ctx.require_rank(1, 1, "C1")) {
    return Outcome::kFailed;
  }
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  Shape out = *ctx.shape(0);
  const auto named = ctx.attr_ints("axes");
  const auto axes = named ? normalise_axes(ctx, *named, out.size(), "C2", "C3")
                          : normalise_axes(ctx, all_axes(out.size()), out.size(), "C2", "C3");
  if (!axes) return Outcome::kFailed;
  std::optional<Shape> lengths = ctx.integers(1);
  if (!lengths) lengths = Shape(axes->size());
  if (lengths->size() != axes->size()) {
    return ctx.fail(Code::kInputDim, "C1",
                    fmt::format("{} lengths for {} axes", lengths->size(), axes->size()));
  }
  for (size_t i = 0; i < axes->size(); ++i) {
    if (const auto number = (*lengths)[i].number(); number && *number < 0) {
      return ctx.fail(Code::kInputValue, "C4", fmt::format("a length is {}", *number));
    }
    ctx.at_most(ctx.lit(0), (*lengths)[i], "C4");
    out[(*axes)[i]] = (*lengths)[i];
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// Trilu: the triangle on one side of diagonal k stays, the rest becomes 0.
///   C1  rank >= 2    C2  k is a scalar (or has one element)
Outcome trilu(InferContext& ctx) {
  const bool allowed = ctx.require_rank(0, 2, SIZE_MAX, "C1") && ctx.require_elem(1, kInt64, "k") &&
                       ctx.require_rank(1, 0, 1, "C2");
  std::optional<Shape> shape;
  if (const Shape* known = ctx.shape(0)) shape = *known;
  ctx.set_tensor(0, ctx.elem(0), std::move(shape));
  if (!allowed) return Outcome::kFailed;
  const auto k = ctx.has_input(1) ? ctx.scalar_integer(1).number() : std::optional<int64_t>(0);
  const auto contents = contents_of(ctx, 0);
  if (!contents || !k) return Outcome::kDone;
  const bool upper = ctx.attr_int("upper", 1) != 0;
  const auto limit = static_cast<int64_t>(kMaxElements);
  const int64_t diagonal = std::clamp(*k, -limit, limit);
  set_each(ctx, 0, [&](const Index& index) {
    const int64_t offset = index[index.size() - 1] - index[index.size() - 2];
    const bool stays = upper ? offset >= diagonal : offset <= diagonal;
    return stays ? contents->at(index) : Scalar{ctx.lit(0), 1};
  });
  return Outcome::kDone;
}

/// ReverseSequence: the shape stays.
///   C1  rank >= 2    C2  batch_axis and time_axis are 0 and 1 in some order
///   C3  sequence_lens is 1-D, with one length a batch
Outcome reverse_sequence(InferContext& ctx) {
  std::optional<Shape> out;
  if (const Shape* shape = ctx.shape(0)) out = *shape;
  ctx.set_tensor(0, ctx.elem(0), out);
  if (!ctx.require_elem(1, kInt64, "T") || !ctx.require_rank(0, 2, SIZE_MAX, "C1") ||
      !ctx.require_rank(1, 1, "C3")) {
    return Outcome::kFailed;
  }
  const int64_t batch = ctx.attr_int("batch_axis", 1);
  const int64_t time = ctx.attr_int("time_axis", 0);
  if (batch < 0 || batch > 1 || time != 1 - batch) {
    return ctx.fail(Code::kAttribute, "C2",
                    fmt::format("batch_axis is {} and time_axis {}", batch, time));
  }
  if (!out || !ctx.rank(1)) return Outcome::kDone;
  Dim& size = (*out)[static_cast<size_t>(batch)];
  size = ctx.require_equal(size, (*ctx.shape(1))[0], "C3",
                           "the batch size and the number of sequence lengths");
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// TensorScatter: the shape of past_cache.
///   C1  axis is one of past_cache's and not the batch axis 0
///   C2  update has past_cache's shape, except along axis    C3  where it is not longer
///   C4  write_indices is 1-D, with one index a batch        C5  both have the same type
Outcome tensor_scatter(InferContext& ctx) {
  std::optional<Shape> out;
  if (const Shape* shape = ctx.shape(0)) out = *shape;
  ctx.set_tensor(0, ctx.elem(0), out);
  if (!ctx.require_same_elem(0, 1, "C5") || !ctx.require_elem(2, kInt64, "write_indices") ||
      !ctx.require_rank(2, 1, "C4")) {
    return Outcome::kFailed;
  }
  if (!out) return Outcome::kDone;
  const auto axis = normalise_axis(ctx.attr_int("axis", -2), out->size());
  if (!axis || *axis == 0) {
    return ctx.fail(
        Code::kAttribute, "C1",
        fmt::format("axis {} of a cache of rank {}", ctx.attr_int("axis", -2), out->size()));
  }
  if (!ctx.require_rank(1, out->size(), "C2")) return Outcome::kFailed;
  if (ctx.rank(1)) {
    const Shape update = *ctx.shape(1);
    for (size_t i = 0; i < out->size(); ++i) {
      if (i == *axis) {
        ctx.at_most(update[i], (*out)[i], "C3");
      } else {
        (*out)[i] = ctx.require_equal((*out)[i], update[i], "C2",
                                      fmt::format("the dims of cache and update at axis {}", i));
      }
    }
  }
  if (ctx.has_input(2) && ctx.rank(2)) {
    (*out)[0] = ctx.require_equal((*out)[0], (*ctx.shape(2))[0], "C4",
                                  "the batch size and the number of write indices");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Pad", 1, pad_1},
    {"Pad", 2, pad_2},
    {"Pad", 11, pad_inputs},
    {"CenterCropPad", 18, center_crop_pad},
    {"Trilu", 14, trilu},
    {"ReverseSequence", 10, reverse_sequence},
    {"TensorScatter", 24, tensor_scatter},
});

}  // namespace

std::span<const Family> padding_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
