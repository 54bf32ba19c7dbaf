// Signals: Fourier transforms, windows and mel weights.
#include <fmt/format.h>

#include <algorithm>

#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

/// The number of frequencies of a real signal's spectrum: floor(length / 2) + 1.
Dim one_sided(Dim length) { return floor_div(length, 2) + 1; }

/// Whether an attribute that is 0 or 1 is set; nothing, and a finding, for another number.
std::optional<bool> read_flag(InferContext& ctx, std::string_view name, int64_t otherwise,
                              std::string_view label) {
  const int64_t flag = ctx.attr_int(name, otherwise);
  if (flag == 0 || flag == 1) return flag == 1;
  ctx.report(Code::kAttribute, label, fmt::format("{} is {}; it must be 0 or 1", name, flag));
  return std::nullopt;
}

/// The output of a DFT over `axis` (nothing: unknown); the last dim tells real from complex.
Outcome transform(InferContext& ctx, std::optional<int64_t> axis) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_elem(1, kIndexTypes, "T2");
  if (!ctx.require_rank(0, 2, SIZE_MAX, "C1") || !ctx.require_rank(1, 0, 1, "C2")) {
    return Outcome::kFailed;
  }
  const auto inverse = read_flag(ctx, "inverse", 0, "C3");
  const auto onesided = read_flag(ctx, "onesided", 0, "C3");
  if (!inverse || !onesided) return Outcome::kFailed;
  const Shape* x = ctx.shape(0);
  if (x == nullptr) return Outcome::kDone;
  const bool real_result = *inverse && *onesided;
  Shape out = *x;
  out.back() = ctx.lit(real_result ? 1 : 2);
  if (!axis) {
    // Any axis but the last may change.
    const bool changes = ctx.has_input(1) || *onesided;
    if (changes) std::fill(out.begin(), out.end() - 1, Dim());
    ctx.set_tensor(0, ctx.elem(0), std::move(out));
    return Outcome::kDone;
  }
  const auto index = normalise_axis(*axis, x->size());
  if (!index || *index + 1 == x->size()) {
    return ctx.fail(Code::kAttribute, "C4",
                    fmt::format("axis is {}, but the signal has the {} axes before the last", *axis,
                                x->size() - 1));
  }
  Dim length = out[*index];
  if (real_result) length = (length - 1) * 2;
  if (ctx.has_input(1)) length = ctx.scalar_integer(1);
  out[*index] = *onesided && !*inverse ? one_sided(length) : length;
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return Outcome::kDone;
}

// DFT-17. Along `axis` the output has dft_length elements (by default the input's, or 2 * (n - 1)
// for the inverse of a one-sided spectrum), or floor(dft_length / 2) + 1 of them where it is
// one-sided; its last dim is 2, or 1 for the inverse of a one-sided spectrum.
//   C1  input has rank >= 2              C2  dft_length is a scalar
//   C3  inverse and onesided are 0 or 1  C4  axis is one of input's, but not the last
//   T1  input holds floats               T2  dft_length is an integer
Outcome dft_with_attribute(InferContext& ctx) { return transform(ctx, ctx.attr_int("axis", 1)); }

// DFT-20. The same, with the axis as an input.
Outcome dft_with_input(InferContext& ctx) {
  if (!ctx.has_input(2)) return transform(ctx, -2);
  return transform(ctx, ctx.scalar_integer(2).number());
}

// STFT-17. signal [batch, length, 1 or 2] to [batch, frames, frequencies, 2], with frames =
// floor((length - frame_length) / frame_step) + 1; the frequencies are frame_length, or
// floor(frame_length / 2) + 1 if one-sided. frame_length is that of window if it is left out, and
// length if both are.
//   C1  signal has rank 3    C2  window has rank 1, and length frame_length
//   C3  onesided is 0 or 1   C4  frame_step >= 1    T1  signal and window are of one float type
//   T2  frame_step and frame_length are integers
Outcome stft(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.require_elem(0, kFloatTypes, "T1");
  ctx.require_same_elem(0, 2, "T1");
  for (const size_t i : {1U, 3U}) ctx.require_elem(i, kIndexTypes, "T2");
  if (!ctx.require_rank(0, 3, "C1") || !ctx.require_rank(2, 1, "C2")) return Outcome::kFailed;
  const auto onesided = read_flag(ctx, "onesided", 1, "C3");
  if (!onesided) return Outcome::kFailed;
  const Shape signal = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(3);
  Dim length = signal[1];
  if (ctx.has_input(3)) length = ctx.scalar_integer(3);
  if (ctx.has_input(2)) {
    const Shape* window = ctx.shape(2);
    const Dim size = window != nullptr ? window->front() : Dim();
    length = ctx.has_input(3)
                 ? ctx.require_equal(length, size, "C2", "frame_length and the window's length")
                 : size;
  }
  const Dim step = ctx.scalar_integer(1);
  if (step.known() && step.bounds().hi < 1) {
    return ctx.fail(Code::kInputValue, "C4", "frame_step must be at least 1");
  }
  ctx.set_tensor(0, ctx.elem(0),
                 Shape{signal[0], floor_div(signal[1] - length, step) + 1,
                       *onesided ? one_sided(length) : length, ctx.lit(2)});
  return Outcome::kDone;
}

/// The type of attribute output_datatype.
std::optional<ElemType> output_type(InferContext& ctx) {
  const ElemType type = elem_type(ctx.attr_int("output_datatype", 1));
  if (std::find(kNumericTypes.begin(), kNumericTypes.end(), type) != kNumericTypes.end()) {
    return type;
  }
  ctx.report(Code::kAttribute, "C1",
             fmt::format("output_datatype is {}, which is no numeric type",
                         ctx.attr_int("output_datatype", 1)));
  return std::nullopt;
}

// HannWindow-17, HammingWindow-17, BlackmanWindow-17. [size].
//   C1  output_datatype is a numeric type     C2  size is a scalar >= 0     T1  size is an integer
Outcome window_function(InferContext& ctx) {
  ctx.require_elem(0, kIndexTypes, "T1");
  const auto type = output_type(ctx);
  if (!type) return Outcome::kFailed;
  ctx.set_tensor(0, *type, Shape{Dim()});
  if (!ctx.require_rank(0, 0, 1, "C2")) return Outcome::kFailed;
  const Dim size = ctx.scalar_integer(0);
  if (size.known() && size.bounds().hi < 0) {
    return ctx.fail(Code::kInputValue, "C2", "the window's size is below 0");
  }
  ctx.set_tensor(0, *type, Shape{size});
  return Outcome::kDone;
}

// MelWeightMatrix-17. [floor(dft_length / 2) + 1, num_mel_bins].
//   C1  output_datatype is a numeric type
//   C2  num_mel_bins, dft_length and the others are scalars; the two are >= 0
//   T1  num_mel_bins, dft_length and sample_rate are integers     T2  the edges are floats
Outcome mel_weight_matrix(InferContext& ctx) {
  for (const size_t i : {0U, 1U, 2U}) ctx.require_elem(i, kIndexTypes, "T1");
  for (const size_t i : {3U, 4U}) ctx.require_elem(i, kFloatTypes, "T2");
  const auto type = output_type(ctx);
  if (!type) return Outcome::kFailed;
  ctx.set_tensor(0, *type, Shape{Dim(), Dim()});
  for (size_t i = 0; i < 5; ++i) {
    if (!ctx.require_rank(i, 0, 1, "C2")) return Outcome::kFailed;
  }
  const Dim bins = ctx.scalar_integer(0);
  const Dim length = ctx.scalar_integer(1);
  if ((bins.known() && bins.bounds().hi < 0) || (length.known() && length.bounds().hi < 0)) {
    return ctx.fail(Code::kInputValue, "C2", "num_mel_bins and dft_length cannot be below 0");
  }
  ctx.set_tensor(0, *type, Shape{one_sided(length), bins});
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({{"BlackmanWindow", 17, window_function},
                                               {"DFT", 17, dft_with_attribute},
                                               {"DFT", 20, dft_with_input},
                                               {"HammingWindow", 17, window_function},
                                               {"HannWindow", 17, window_function},
                                               {"MelWeightMatrix", 17, mel_weight_matrix},
                                               {"STFT", 17, stft}});

}  // namespace

std::span<const Family> signal_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
