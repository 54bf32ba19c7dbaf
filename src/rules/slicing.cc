// Slice.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kIndexTypes{ElemType::kInt32, ElemType::kInt64};

enum class Sign : uint8_t { kUnknown, kNegative, kNonNegative };

Sign sign_of(InferContext& ctx, Dim dim) {
  if (!dim.known()) return Sign::kUnknown;
  Prover& prover = ctx.prover();
  if (prover.at_most(ctx.lit(0), dim) == Truth::kTrue) return Sign::kNonNegative;
  return prover.less(dim, ctx.lit(0)) == Truth::kTrue ? Sign::kNegative : Sign::kUnknown;
}

/// Exporters write the largest number of the index type for "to the end", and the specification
/// recommends it. With 32-bit indices that leaves the (2^31)th element of an axis out, which no
/// model means and no tensor has.
bool is_to_the_end(Dim end) {
  const auto number = end.number();
  return number && (*number == INT32_MAX || *number >= INT64_MAX - 1);
}
bool is_to_the_start(Dim end) {
  const auto number = end.number();
  return number && (*number == INT32_MIN || *number == -INT32_MAX || *number <= -INT64_MAX);
}

Dim smaller(InferContext& ctx, Dim a, Dim b) {
  if (!a.known() || !b.known()) return {};
  if (ctx.prover().at_most(a, b) == Truth::kTrue) return a;
  if (ctx.prover().at_most(b, a) == Truth::kTrue) return b;
  return min(a, b);
}

Dim at_least_zero(InferContext& ctx, Dim dim) {
  if (!dim.known() || ctx.prover().provably_at_least(dim, 0)) return dim;
  return ctx.prover().bounds(dim).hi <= 0 ? ctx.lit(0) : max(dim, 0);
}

/// Elements between start and end going forward: max(0, min(ends) - max(starts)), written as the
/// smallest of the differences. An end below or a start above the axis gives no more than 0, so
/// each index is clamped at one end only.
Dim forward_length(InferContext& ctx, Dim dim, Dim start, Dim end) {
  const Sign start_sign = sign_of(ctx, start);
  const Sign end_sign = sign_of(ctx, end);
  if (start_sign == Sign::kUnknown || end_sign == Sign::kUnknown) return {};
  if (is_to_the_end(start) || is_to_the_start(end)) return ctx.lit(0);
  Dim last;  // one past
  if (is_to_the_end(end)) {
    last = dim;
  } else {
    last = end_sign == Sign::kNegative ? dim + end : smaller(ctx, end, dim);
  }
  if (start_sign == Sign::kNonNegative) return at_least_zero(ctx, last - start);
  if (is_to_the_start(start)) return at_least_zero(ctx, last);
  return at_least_zero(ctx, smaller(ctx, last, last - (dim + start)));
}

/// The same going backward, from start down to but without end. A start before the axis counts as
/// its first element (the specification and ONNX Runtime; numpy takes none), unless it is empty.
Dim backward_length(InferContext& ctx, Dim dim, Dim start, Dim end) {
  const Sign start_sign = sign_of(ctx, start);
  const Sign end_sign = sign_of(ctx, end);
  if (start_sign == Sign::kUnknown || end_sign == Sign::kUnknown) return {};
  Dim first;
  if (is_to_the_end(start) || start.is(-1)) {
    first = dim - 1;
  } else if (start_sign == Sign::kNonNegative) {
    first = smaller(ctx, start, dim - 1);
  } else {
    first = is_to_the_start(start) ? ctx.lit(0) : at_least_zero(ctx, dim + start);
  }
  Dim last;  // one before
  if (end_sign == Sign::kNonNegative) {
    last = end;
  } else {
    last = is_to_the_start(end) ? ctx.lit(-1) : at_least_zero(ctx, dim + end + 1) - 1;
  }
  return at_least_zero(ctx, smaller(ctx, first - last, dim));
}

/// The length of an axis of `dim` after slicing; unknown where a sign is not known.
Dim sliced(InferContext& ctx, Dim dim, Dim start, Dim end, Dim step) {
  if (!dim.known() || dim.is(0)) return dim;
  switch (sign_of(ctx, step)) {
    case Sign::kNonNegative:
      return ctx.prover().provably_at_least(step, 1)
                 ? ceil_div(forward_length(ctx, dim, start, end), step)
                 : Dim();
    case Sign::kNegative:
      // Going backward, ONNX Runtime reads these ends as "through the first element"; by the
      // specification they lie past the axis, which leaves nothing.
      if (end.is(INT32_MAX) || end.is(INT64_MAX)) return {};
      return ceil_div(backward_length(ctx, dim, start, end), -step);
    case Sign::kUnknown:
      break;
  }
  return {};
}

/// The first index that a slice of an axis takes, with all numbers known.
int64_t first_index(int64_t dim, int64_t start, int64_t step) {
  if (start < 0) start = start < -dim ? 0 : start + dim;
  return std::min(start, step > 0 ? dim : dim - 1);
}

/// What is taken along each axis. `axes` is nothing where they depend on data.
struct SliceArguments {
  std::optional<std::vector<int64_t>> axes;
  Shape starts, ends, steps;  // one an axis that is named
};

/// Sets the elements where all the numbers are known.
void slice_elements(InferContext& ctx, std::span<const size_t> axes, const SliceArguments& slice) {
  const auto contents = contents_of(ctx, 0);
  if (!contents) return;
  const auto starts = static_shape(slice.starts);
  const auto steps = static_shape(slice.steps);
  if (!starts || !steps) return;
  const size_t rank = contents->dims.size();
  Index first(rank, 0);
  Index step(rank, 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    first[axes[i]] = first_index(contents->dims[axes[i]], (*starts)[i], (*steps)[i]);
    step[axes[i]] = (*steps)[i];
  }
  Index source(rank);
  set_each(ctx, 0, [&](const Index& index) {
    for (size_t i = 0; i < rank; ++i) source[i] = first[i] + index[i] * step[i];
    return contents->at(source);
  });
}

/// Axes that depend on data: each dim shrinks by an amount that is not known.
Outcome slice_some_axes(InferContext& ctx) {
  const Shape dims = *ctx.shape(0);
  Shape out;
  for (size_t i = 0; i < dims.size(); ++i) {
    out.push_back(dims[i].is(0) ? dims[i] : ctx.fresh(fmt::format("d{}", i)));
    ctx.at_most(out.back(), dims[i], "bound");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

/// Slice: along each named axis the elements from start up to end, step by step.
///   C1  starts, ends, axes and steps are 1-D and have the same length
///   C2  -r <= axis < r    C3  the axes are distinct    C4  no step is 0
Outcome slice_by(InferContext& ctx, const SliceArguments& slice) {
  if (!slice.axes) return slice_some_axes(ctx);
  const Shape dims = *ctx.shape(0);
  const auto axes = normalise_axes(ctx, *slice.axes, dims.size(), "C2", "C3");
  if (!axes) return Outcome::kFailed;
  Shape out = dims;
  for (size_t i = 0; i < axes->size(); ++i) {
    const size_t axis = (*axes)[i];
    if (slice.steps[i].is(0)) return ctx.fail(Code::kInputValue, "C4", "a step is 0");
    Dim& length = out[axis];
    length = sliced(ctx, dims[axis], slice.starts[i], slice.ends[i], slice.steps[i]);
    if (length.known() || !dims[axis].known()) continue;
    length = ctx.fresh(fmt::format("d{}", axis));
    const auto step = slice.steps[i].number();
    const int64_t stride = step && *step > -INT32_MAX ? std::max(*step, -*step) : 1;
    ctx.at_most(length, ceil_div(dims[axis], stride), "bound");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  slice_elements(ctx, *axes, slice);
  return Outcome::kDone;
}

std::vector<int64_t> first_axes(size_t count) {
  std::vector<int64_t> axes(count);
  for (size_t i = 0; i < count; ++i) axes[i] = static_cast<int64_t>(i);
  return axes;
}

Outcome slice_attributes(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const auto starts = ctx.attr_ints("starts");
  const auto ends = ctx.attr_ints("ends");
  const auto axes = ctx.attr_ints("axes");
  if (!starts || !ends || starts->size() != ends->size() ||
      (axes && axes->size() != starts->size())) {
    return ctx.fail(Code::kAttribute, "C1", "starts, ends and axes must have the same length");
  }
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  SliceArguments slice{.axes = first_axes(starts->size()),
                       .starts = ctx.lits(*starts),
                       .ends = ctx.lits(*ends),
                       .steps = Shape(starts->size(), ctx.lit(1))};
  if (axes) slice.axes = std::vector<int64_t>(axes->begin(), axes->end());
  return slice_by(ctx, slice);
}

/// The number of elements that inputs 1 to 4 have in common (C1); nothing if none of them says.
std::optional<size_t> argument_count(InferContext& ctx) {
  Dim count;
  for (size_t i = 1; i <= 4; ++i) {
    if (!ctx.has_input(i) || ctx.rank(i) != 1) continue;
    count = ctx.require_equal(count, (*ctx.shape(i))[0], "C1",
                              "the lengths of starts, ends, axes and steps");
  }
  const auto shape = shape_of_rank(count);
  return shape ? std::optional(shape->size()) : std::nullopt;
}

/// The elements of input i; unknown ones where they depend on data.
Shape argument(InferContext& ctx, size_t i, size_t count) {
  std::optional<Shape> numbers = ctx.integers(i);
  return numbers && numbers->size() == count ? *numbers : Shape(count);
}

Outcome slice_inputs(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  for (size_t i = 1; i <= 4; ++i) {
    if (!ctx.require_elem(i, kIndexTypes, "Tind") || !ctx.require_rank(i, 1, "C1")) {
      return Outcome::kFailed;
    }
  }
  if (ctx.shape(0) == nullptr) return Outcome::kDone;
  const auto count = argument_count(ctx);
  if (!count) return slice_some_axes(ctx);
  SliceArguments slice{.axes = first_axes(*count),
                       .starts = argument(ctx, 1, *count),
                       .ends = argument(ctx, 2, *count),
                       .steps = Shape(*count, ctx.lit(1))};
  if (ctx.has_input(3)) {
    slice.axes = ctx.constant_integers(3);
    if (slice.axes && slice.axes->size() != *count) return Outcome::kFailed;
  }
  if (ctx.has_input(4)) slice.steps = argument(ctx, 4, *count);
  return slice_by(ctx, slice);
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Slice", 1, slice_attributes},
    {"Slice", 10, slice_inputs},
});

}  // namespace

std::span<const Family> slicing_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
