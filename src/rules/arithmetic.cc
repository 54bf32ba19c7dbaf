// Element-wise arithmetic, which shapes are computed with.
#include <array>

#include "rules/broadcasting.h"
#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kIntegerTypes = {ElemType::kInt8,   ElemType::kInt16, ElemType::kInt32,
                                      ElemType::kInt64,  ElemType::kUint8, ElemType::kUint16,
                                      ElemType::kUint32, ElemType::kUint64};
constexpr std::array kSignedTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                     ElemType::kBfloat16, ElemType::kInt8,    ElemType::kInt16,
                                     ElemType::kInt32,    ElemType::kInt64};

using UnaryFunction = Scalar (ElementMath::*)(const Scalar&) const;
using BinaryFunction = Scalar (ElementMath::*)(const Scalar&, const Scalar&) const;

/// One operand; the result has its type and shape.
///   C1  the type is allowed
template <UnaryFunction kFunction, const auto& kTypes>
Outcome unary(InferContext& ctx) {
  const Shape* shape = ctx.shape(0);
  ctx.set_tensor(0, ctx.elem(0), shape != nullptr ? std::optional(*shape) : std::nullopt);
  if (!ctx.require_elem(0, kTypes, "C1")) return Outcome::kFailed;
  const ElementMath math(ctx, ctx.elem(0));
  map_elements(ctx, operands<1>(),
               [&](std::span<const Scalar> x) { return (math.*kFunction)(x[0]); });
  return Outcome::kDone;
}

Outcome set_values(InferContext& ctx, std::span<const Operand> both, BinaryFunction function) {
  const ElementMath math(ctx, ctx.output(0).elem);
  map_elements(ctx, both, [&](std::span<const Scalar> x) { return (math.*function)(x[0], x[1]); });
  return Outcome::kDone;
}

/// Two operands of one type that broadcast, from opset 7 on.
///   C1  one allowed type     C2  the dims broadcast
template <BinaryFunction kFunction, const auto& kTypes>
Outcome binary(InferContext& ctx) {
  ctx.set_tensor(0, common_elem(ctx, 0, 2), broadcast_inputs(ctx, 0, 2, "C2"));
  if (!ctx.require_elem(0, kTypes, "C1") || !ctx.require_same_elem(0, 1, "C1")) {
    return Outcome::kFailed;
  }
  return set_values(ctx, operands<2>(), kFunction);
}

/// The same up to opset 6, where the second operand broadcasts to the first by attributes.
///   C1  the rank of B is not above that of A, and B fits in it from `axis` on
///   C2  a dim of B is 1 or that of A     C3  one allowed type
template <BinaryFunction kFunction, const auto& kTypes>
Outcome legacy_binary(InferContext& ctx) {
  const Shape* a = ctx.shape(0);
  ctx.set_tensor(0, common_elem(ctx, 0, 2), a != nullptr ? std::optional(*a) : std::nullopt);
  if (!ctx.require_elem(0, kTypes, "C3") || !ctx.require_same_elem(0, 1, "C3")) {
    return Outcome::kFailed;
  }
  const auto both = legacy_operands(ctx);
  return both ? set_values(ctx, *both, kFunction) : Outcome::kFailed;
}

/// Pow from opset 7 on; the result has the type of the base.
///   C1  allowed types     C2  the dims broadcast
Outcome pow(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), broadcast_inputs(ctx, 0, 2, "C2"));
  if (!ctx.require_elem(0, kSignedTypes, "C1") || !ctx.require_elem(1, kNumericTypes, "C1")) {
    return Outcome::kFailed;
  }
  return set_values(ctx, operands<2>(), &ElementMath::power);
}

/// Mod: the remainder of floor division, or with fmod = 1 of division rounded towards zero.
///   C1  one allowed type     C2  the dims broadcast     C3  fmod is 0 or 1; up to opset 27 it is 1
///   for floats
Outcome remainder(InferContext& ctx) {
  const ElemType elem = common_elem(ctx, 0, 2);
  ctx.set_tensor(0, elem, broadcast_inputs(ctx, 0, 2, "C2"));
  if (!ctx.require_elem(0, kNumericTypes, "C1") || !ctx.require_same_elem(0, 1, "C1")) {
    return Outcome::kFailed;
  }
  const int64_t fmod = ctx.attr_int("fmod", 0);
  if (fmod != 0 && fmod != 1) return ctx.fail(Code::kAttribute, "C3", "fmod is neither 0 nor 1");
  if (fmod == 0 && is_float(elem) && ctx.opset() < 28) {
    return ctx.fail(Code::kAttribute, "C3", "fmod must be 1 for floats", "set fmod to 1");
  }
  return set_values(ctx, operands<2>(),
                    fmod == 1 ? &ElementMath::truncated_mod : &ElementMath::floor_mod);
}

/// BitShift.
///   C1  one integer type     C2  the dims broadcast     C3  direction is LEFT or RIGHT
Outcome bit_shift(InferContext& ctx) {
  ctx.set_tensor(0, common_elem(ctx, 0, 2), broadcast_inputs(ctx, 0, 2, "C2"));
  if (!ctx.require_elem(0, kIntegerTypes, "C1") || !ctx.require_same_elem(0, 1, "C1")) {
    return Outcome::kFailed;
  }
  const std::string_view direction = ctx.attr_string("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    return ctx.fail(Code::kAttribute, "C3", "direction is neither LEFT nor RIGHT");
  }
  return set_values(ctx, operands<2>(),
                    direction == "LEFT" ? &ElementMath::shift_left : &ElementMath::shift_right);
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Abs", 1, unary<&ElementMath::absolute, kNumericTypes>},
    {"Add", 1, legacy_binary<&ElementMath::add, kNumericTypes>},
    {"Add", 7, binary<&ElementMath::add, kNumericTypes>},
    {"BitShift", 11, bit_shift},
    {"Ceil", 1, unary<&ElementMath::ceil, kFloatTypes>},
    {"Div", 1, legacy_binary<&ElementMath::divide, kNumericTypes>},
    {"Div", 7, binary<&ElementMath::divide, kNumericTypes>},
    {"Floor", 1, unary<&ElementMath::floor, kFloatTypes>},
    {"Mod", 10, remainder},
    {"Mul", 1, legacy_binary<&ElementMath::multiply, kNumericTypes>},
    {"Mul", 7, binary<&ElementMath::multiply, kNumericTypes>},
    {"Neg", 1, unary<&ElementMath::negate, kSignedTypes>},
    {"Pow", 1, legacy_binary<&ElementMath::power, kSignedTypes>},
    {"Pow", 7, pow},
    {"Reciprocal", 1, unary<&ElementMath::reciprocal, kFloatTypes>},
    {"Round", 11, unary<&ElementMath::round_half_even, kFloatTypes>},
    {"Sign", 9, unary<&ElementMath::sign, kNumericTypes>},
    {"Sqrt", 1, unary<&ElementMath::square_root, kFloatTypes>},
    {"Sub", 1, legacy_binary<&ElementMath::subtract, kNumericTypes>},
    {"Sub", 7, binary<&ElementMath::subtract, kNumericTypes>},
});

}  // namespace

std::span<const Family> arithmetic_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
