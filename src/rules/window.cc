#include "rules/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace onnx_shapes {
namespace {

/// An attribute with one number >= 1 for each spatial axis; all 1 where it is left out.
std::optional<std::vector<int64_t>> read_steps(InferContext& ctx, std::string_view name,
                                               size_t spatial, std::string_view label) {
  const auto given = ctx.attr_ints(name);
  if (!given || given->empty()) return std::vector<int64_t>(spatial, 1);
  if (given->size() != spatial) {
    ctx.report(Code::kAttribute, label,
               fmt::format("{} has {} numbers for {} spatial axes", name, given->size(), spatial));
    return std::nullopt;
  }
  if (std::any_of(given->begin(), given->end(), [](int64_t step) { return step < 1; })) {
    ctx.report(Code::kAttribute, label, fmt::format("{} must be at least 1", name));
    return std::nullopt;
  }
  return std::vector<int64_t>(given->begin(), given->end());
}

bool read_kernel(InferContext& ctx, Shape& kernel) {
  const auto given = ctx.attr_ints("kernel_shape");
  if (!given || given->empty()) return true;
  if (given->size() != kernel.size()) {
    ctx.report(
        Code::kAttribute, "W1",
        fmt::format("kernel_shape has {} sizes for {} spatial axes", given->size(), kernel.size()));
    return false;
  }
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t size = (*given)[i];
    if (size < 1) {
      ctx.report(Code::kAttribute, "W1", "kernel_shape must be at least 1");
      return false;
    }
    if (const auto number = kernel[i].number(); number && *number != size) {
      ctx.report(Code::kAttribute, "W1",
                 fmt::format("kernel_shape says {} where the weights have {}", size, *number));
      return false;
    }
    kernel[i] = ctx.require_equal(ctx.lit(size), kernel[i], "W1", "kernel_shape and the weights");
  }
  return true;
}

bool read_pads(InferContext& ctx, size_t spatial, Window& window) {
  window.pads_begin.assign(spatial, 0);
  window.pads_end.assign(spatial, 0);
  const std::string_view mode = ctx.attr_string("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
    window.auto_pad = AutoPad::kSame;
    return true;
  }
  if (mode == "VALID") {
    window.auto_pad = AutoPad::kValid;
    return true;
  }
  if (mode != "NOTSET" && !mode.empty()) {
    ctx.report(Code::kAttribute, "W5", fmt::format("auto_pad is '{}'", mode),
               "use NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    return false;
  }
  const auto given = ctx.attr_ints("pads");
  if (!given || given->empty()) return true;
  if (given->size() != 2 * spatial) {
    ctx.report(Code::kAttribute, "W4",
               fmt::format("pads has {} numbers for {} spatial axes", given->size(), spatial),
               "write the begin of each axis, then the end of each");
    return false;
  }
  std::copy_n(given->begin(), spatial, window.pads_begin.begin());
  std::copy_n(given->begin() + static_cast<ptrdiff_t>(spatial), spatial, window.pads_end.begin());
  return true;
}

/// in + pads - extent: how far the window can move.
Dim room(Dim in, const Window& window, size_t axis) {
  return in + window.pads_begin[axis] + window.pads_end[axis] - window_extent(window, axis);
}

/// W6. In a run that completes the count is a size, so never negative: that is worth recording
/// where the form of the count does not say so.
Dim checked_count(InferContext& ctx, Dim count, size_t axis) {
  if (!count.known() || count.bounds().lo >= 0) return count;
  if (count.bounds().hi >= 0) {
    ctx.at_most(ctx.lit(0), count, "W6");
    return count;
  }
  ctx.report(Code::kInputDim, "W6",
             fmt::format("spatial axis {} is too short for the window", axis),
             "use a smaller kernel or more padding");
  return {};
}

}  // namespace

std::optional<Window> read_window(InferContext& ctx, Shape kernel) {
  const size_t spatial = kernel.size();
  Window window;
  window.kernel = std::move(kernel);
  auto strides = read_steps(ctx, "strides", spatial, "W2");
  auto dilations = read_steps(ctx, "dilations", spatial, "W3");
  if (!read_kernel(ctx, window.kernel) || !strides || !dilations ||
      !read_pads(ctx, spatial, window)) {
    return std::nullopt;
  }
  window.strides = std::move(*strides);
  window.dilations = std::move(*dilations);
  return window;
}

Dim window_extent(const Window& window, size_t axis) {
  return (window.kernel[axis] - 1) * window.dilations[axis] + 1;
}

Dim convolved_dim(InferContext& ctx, Dim in, const Window& window, size_t axis) {
  const int64_t stride = window.strides[axis];
  if (window.auto_pad == AutoPad::kSame) return ceil_div(in, stride);
  return checked_count(ctx, floor_div(room(in, window, axis), stride) + 1, axis);
}

Dim pooled_dim(InferContext& ctx, Dim in, const Window& window, size_t axis, bool ceil_mode) {
  const int64_t stride = window.strides[axis];
  if (window.auto_pad == AutoPad::kSame && window.dilations[axis] != 1 &&
      !window.kernel[axis].is(1)) {
    return {};
  }
  const Dim rounded_down = convolved_dim(ctx, in, window, axis);
  if (!ceil_mode || stride == 1 || window.auto_pad == AutoPad::kSame) return rounded_down;
  // The windows that start before the padding at the end.
  const Dim started = ceil_div(in + window.pads_begin[axis], stride);
  const Dim rounded_up = ceil_div(room(in, window, axis), stride) + 1;
  // A window of extent e starts last at in + pads - e + (less than a stride).
  const Dim slack = window_extent(window, axis) - window.pads_end[axis] - stride;
  const Dim count =
      ctx.prover().provably_at_least(slack, 0) ? rounded_up : min(rounded_up, started);
  if (window.auto_pad == AutoPad::kNotSet || ctx.prover().provably_equal(count, rounded_down)) {
    return checked_count(ctx, count, axis);
  }
  return {};
}

Dim transposed_dim(InferContext& ctx, Dim in, const Window& window, size_t axis,
                   int64_t output_padding) {
  const int64_t stride = window.strides[axis];
  const Dim extent = window_extent(window, axis);
  if (window.auto_pad == AutoPad::kSame) {
    return ctx.prover().provably_at_least(extent + output_padding, stride) ? in * stride : Dim();
  }
  const Dim size =
      (in - 1) * stride + extent + output_padding - window.pads_begin[axis] - window.pads_end[axis];
  return checked_count(ctx, size, axis);
}

std::optional<Shape> convolved_shape(InferContext& ctx, const Shape* x, const Shape* w) {
  if (x == nullptr && w == nullptr) return std::nullopt;
  const size_t rank = x != nullptr ? x->size() : w->size();
  if (rank < 3 || (w != nullptr && w->size() != rank)) {
    ctx.report(Code::kInputRank, "C1",
               w == nullptr ? fmt::format("X has rank {}; it needs at least 3", rank)
                            : fmt::format("X has rank {} and W rank {}; they need the same rank, "
                                          "at least 3",
                                          rank, w->size()));
    return std::nullopt;
  }
  const int64_t group = ctx.attr_int("group", 1);
  const auto features = w != nullptr ? w->front().number() : std::nullopt;
  if (group < 1 || (features && *features % group != 0)) {
    ctx.report(
        Code::kAttribute, "C3",
        fmt::format("group is {}, which must be a positive divisor of W's first dim", group));
    return std::nullopt;
  }
  if (x != nullptr && w != nullptr) {
    ctx.require_equal((*x)[1], (*w)[1] * group, "C2", "the channels of X and of W times group");
  }
  const auto window =
      read_window(ctx, w != nullptr ? Shape(w->begin() + 2, w->end()) : Shape(rank - 2));
  if (!window) return std::nullopt;
  Shape out(rank);
  if (x != nullptr) out[0] = x->front();
  if (w != nullptr) out[1] = w->front();
  for (size_t i = 2; i < rank && x != nullptr; ++i) {
    out[i] = convolved_dim(ctx, (*x)[i], *window, i - 2);
  }
  return out;
}

}  // namespace onnx_shapes
