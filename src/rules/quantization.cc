// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include <fmt/format.h>

#include <array>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kReal{ElemType::kFloat, ElemType::kFloat16, ElemType::kBfloat16,
                           ElemType::kInt32};
constexpr std::array kScale{ElemType::kFloat, ElemType::kFloat16, ElemType::kBfloat16,
                            ElemType::kInt32, ElemType::kFloat8E8M0};
constexpr std::array kQuantized{
    ElemType::kInt8,           ElemType::kUint8,      ElemType::kInt16,
    ElemType::kUint16,         ElemType::kInt32,      ElemType::kInt4,
    ElemType::kUint4,          ElemType::kInt2,       ElemType::kUint2,
    ElemType::kFloat8E4M3FN,   ElemType::kFloat8E5M2, ElemType::kFloat8E4M3FNUZ,
    ElemType::kFloat8E5M2FNUZ, ElemType::kFloat4E2M1, ElemType::kFloat6E2M3,
    ElemType::kFloat6E3M2};
constexpr std::array kFloat{ElemType::kFloat};

/// The scale's shape tells the granularity: a scalar (or one element) for the whole tensor, 1-D for
/// one scale a slice along axis, the input's rank for blocks along axis.
///   C1  the scale has rank 0, 1 or that of the input
///   C2  a 1-D scale has one element or as many as the axis    C3  -r <= axis < r
///   C4  a blocked scale has the input's dims, except ceil(d / block_size) along axis
///   C5  the zero point has the shape of the scale
Outcome check_granularity(InferContext& ctx) {
  if (ctx.rank(1) && ctx.has_input(2) && ctx.rank(2)) {
    const Shape scale = *ctx.shape(1);
    const Shape zero = *ctx.shape(2);
    // ONNX Runtime takes a scalar for a tensor of one element and the other way around.
    if (scale.size() == zero.size()) {
      for (size_t i = 0; i < scale.size(); ++i) {
        ctx.require_equal(scale[i], zero[i], "C5", "the dims of scale and zero point");
      }
    } else if (scale.size() > 1 || zero.size() > 1) {
      return ctx.fail(
          Code::kInputRank, "C5",
          fmt::format("the scale has rank {}, the zero point rank {}", scale.size(), zero.size()));
    }
  }
  if (!ctx.rank(0) || !ctx.rank(1) || ctx.rank(1) == 0) return Outcome::kDone;
  const Shape dims = *ctx.shape(0);
  const Shape scale = *ctx.shape(1);
  const int64_t block = ctx.attr_int("block_size", 0);
  if (scale.size() != 1 && scale.size() != dims.size()) {
    return ctx.fail(
        Code::kInputRank, "C1",
        fmt::format("a scale of rank {} for an input of rank {}", scale.size(), dims.size()));
  }
  const auto axis = normalise_axis(ctx.attr_int("axis", 1), dims.size());
  if (scale.size() == 1 && (block == 0 || dims.size() != 1)) {
    // One scale may stand for all; a scale that is longer is one of an axis.
    const auto count = scale.front().number();
    if (!count || *count == 1) return Outcome::kDone;
    if (!axis && dims.size() == 1) return Outcome::kDone;
    if (!axis) return ctx.fail(Code::kAttribute, "C3", "axis is outside of the input's axes");
    ctx.require_equal(scale.front(), dims[*axis], "C2", "the number of scales and the axis");
    return Outcome::kDone;
  }
  if (!axis) return ctx.fail(Code::kAttribute, "C3", "axis is outside of the input's axes");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != *axis) {
      ctx.require_equal(scale[i], dims[i], "C4", fmt::format("the dims of scale at axis {}", i));
    } else if (block > 0) {
      ctx.require_equal(scale[i], ceil_div(dims[i], block), "C4",
                        "the scales along axis and the number of blocks");
    }
  }
  return Outcome::kDone;
}

/// Sets output 0 to the shape of input 0.
void set_like_input(InferContext& ctx, ElemType elem) {
  std::optional<Shape> out;
  if (const Shape* shape = ctx.shape(0)) out = *shape;
  ctx.set_tensor(0, elem, std::move(out));
}

/// The type of the attribute output_dtype; kUndefined if it is left out.
ElemType output_type(const InferContext& ctx) { return elem_type(ctx.attr_int("output_dtype", 0)); }

/// QuantizeLinear: x's shape, in the type of the zero point, else of output_dtype, else uint8.
///   C6  output_dtype agrees with the zero point's type
Outcome quantize_linear(InferContext& ctx) {
  const ElemType wanted = output_type(ctx);
  ElemType elem = ctx.has_input(2) ? ctx.elem(2) : ElemType::kUint8;
  if (wanted != ElemType::kUndefined && ctx.has_input(2) && elem != ElemType::kUndefined &&
      wanted != elem) {
    set_like_input(ctx, elem);
    return ctx.fail(Code::kInputType, "C6",
                    fmt::format("output_dtype is {}, the zero point {}", elem_type_name(wanted),
                                elem_type_name(elem)));
  }
  if (wanted != ElemType::kUndefined) elem = wanted;
  set_like_input(ctx, elem);
  if (!ctx.require_elem(0, kReal, "T1") || !ctx.require_elem(1, kScale, "T2") ||
      !ctx.require_elem(2, kQuantized, "T3")) {
    return Outcome::kFailed;
  }
  return check_granularity(ctx);
}

/// DequantizeLinear: x's shape, in the type of output_dtype, else of the scale.
Outcome dequantize_linear(InferContext& ctx) {
  const ElemType wanted = output_type(ctx);
  // Before opset 19 scale and result are float.
  const ElemType of_scale = ctx.opset() < 19 ? ElemType::kFloat : ctx.elem(1);
  set_like_input(ctx, wanted != ElemType::kUndefined ? wanted : of_scale);
  if (!ctx.require_elem(0, kQuantized, "T1") || !ctx.require_elem(1, kScale, "T2") ||
      !ctx.require_same_elem(0, 2, "T1")) {
    return Outcome::kFailed;
  }
  return check_granularity(ctx);
}

/// DynamicQuantizeLinear: uint8 of x's shape, a float scale and a uint8 zero point.
Outcome dynamic_quantize_linear(InferContext& ctx) {
  set_like_input(ctx, ElemType::kUint8);
  ctx.set_tensor(1, ElemType::kFloat, Shape{});
  ctx.set_tensor(2, ElemType::kUint8, Shape{});
  return ctx.require_elem(0, kFloat, "T1") ? Outcome::kDone : Outcome::kFailed;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"QuantizeLinear", 10, quantize_linear},
    {"DequantizeLinear", 10, dequantize_linear},
    {"DynamicQuantizeLinear", 11, dynamic_quantize_linear},
});

}  // namespace

std::span<const Family> quantization_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
