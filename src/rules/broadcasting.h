// Multidirectional broadcasting, that of opset 1 to 6, and what they do to contents.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "infer/context.h"

namespace onnx_shapes {

/// The shape that inputs [first, last) broadcast to; nothing if a rank is unknown. Inputs that are
/// left out are skipped.
[[nodiscard]] std::optional<Shape> broadcast_inputs(InferContext& ctx, size_t first, size_t last,
                                                    std::string_view label);

/// Requires that b broadcasts to a without changing it: b is 1 or a. `what` as in require_equal.
void require_fits(InferContext& ctx, Dim a, Dim b, std::string_view label, std::string_view what);

/// The first element type that is known among inputs [first, last).
[[nodiscard]] ElemType common_elem(const InferContext& ctx, size_t first, size_t last);

/// One input of an element-wise function.
struct Operand {
  size_t input = 0;
  std::optional<Shape> dims;  // those it broadcasts with, where they are not its own
};
/// The first inputs, so many.
template <size_t kCount>
[[nodiscard]] std::array<Operand, kCount> operands() {
  std::array<Operand, kCount> list;
  for (size_t i = 0; i < kCount; ++i) list[i].input = i;
  return list;
}

/// Sets the contents of output 0, whose shape has been set, to `function` of the broadcast elements
/// of the operands, in their order; elements that are not known are given as unknown. Does nothing
/// if nothing is known of any operand's contents, or if the shapes are not known.
using ElementFunction = std::function<Scalar(std::span<const Scalar>)>;
void map_elements(InferContext& ctx, std::span<const Operand> operands,
                  const ElementFunction& function);

/// The two operands of an element-wise operator of opset 1 to 6, whose second broadcasts to the
/// first, from attribute `axis` on, if attribute `broadcast` is 1, and else has its shape.
///   C1  the rank of B is not above that of A, and B fits in it from `axis` on
///   C2  a dim of B is 1 or that of A (without broadcast: that of A)
/// Nothing if a rule is broken, which has been reported.
[[nodiscard]] std::optional<std::array<Operand, 2>> legacy_operands(InferContext& ctx);

}  // namespace onnx_shapes
