// Windows that slide over the spatial axes of a tensor: what convolutions and pools share.
#pragma once

#include "infer/context.h"

namespace onnx_shapes {

enum class AutoPad : uint8_t { kNotSet, kSame, kValid };

/// The attributes of a window over `kernel.size()` spatial axes.
struct Window {
  Shape kernel;                               // unknown where nothing says the size
  std::vector<int64_t> strides, dilations;    // each >= 1
  std::vector<int64_t> pads_begin, pads_end;  // 0 unless auto_pad is kNotSet
  AutoPad auto_pad = AutoPad::kNotSet;
};

/// Reads kernel_shape, strides, dilations, pads and auto_pad. `kernel`: the sizes that the weights
/// say (unknown dims, if nothing does), which kernel_shape must agree with. Nothing, and a finding,
/// if one is wrong:
///   W1  kernel_shape has one size >= 1 for each spatial axis, equal to the weights'
///   W2  strides has one number >= 1 for each spatial axis     W3  so has dilations
///   W4  pads has a begin for each spatial axis, then an end for each
///   W5  auto_pad is NOTSET, SAME_UPPER, SAME_LOWER or VALID
[[nodiscard]] std::optional<Window> read_window(InferContext& ctx, Shape kernel);

/// The number of elements that a window spans on an axis: (kernel - 1) * dilation + 1.
[[nodiscard]] Dim window_extent(const Window& window, size_t axis);

/// The number of positions of a convolution's window:
///   floor((in + pads - extent) / stride) + 1, or ceil(in / stride) for SAME.
/// W6: there is room for no fewer than 0 positions (a finding, and unknown, where numbers say so).
[[nodiscard]] Dim convolved_dim(InferContext& ctx, Dim in, const Window& window, size_t axis);

/// The same for a pool, whose ceil_mode rounds up but leaves out a last window that would start in
/// the padding at the end. Unknown where the specification and ONNX Runtime give different numbers:
/// ceil_mode with VALID, and SAME with dilations.
[[nodiscard]] Dim pooled_dim(InferContext& ctx, Dim in, const Window& window, size_t axis,
                             bool ceil_mode);

/// The size that a transposed window gives: stride * (in - 1) + output_padding + extent - pads, or
/// in * stride for SAME (unknown where the window could be too small for that, since ONNX Runtime
/// then stops short).
[[nodiscard]] Dim transposed_dim(InferContext& ctx, Dim in, const Window& window, size_t axis,
                                 int64_t output_padding);

/// The output of a convolution of x [N, C, ...] with w [M, C / group, ...], either of which may be
/// null (unknown rank). Nothing if both ranks are unknown, or after a finding.
///   C1  x and w have the same rank >= 3     C2  C is group times the second dim of w
///   C3  group >= 1, and divides M           W1 to W6  as for read_window
[[nodiscard]] std::optional<Shape> convolved_shape(InferContext& ctx, const Shape* x,
                                                   const Shape* w);

}  // namespace onnx_shapes
