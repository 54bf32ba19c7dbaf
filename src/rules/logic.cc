// Comparisons, boolean and bitwise logic, and Where.
#include <array>

#include "rules/broadcasting.h"
#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kBool = {ElemType::kBool};
constexpr std::array kIntegerTypes = {ElemType::kInt8,   ElemType::kInt16, ElemType::kInt32,
                                      ElemType::kInt64,  ElemType::kUint8, ElemType::kUint16,
                                      ElemType::kUint32, ElemType::kUint64};
constexpr std::array kEqualTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                    ElemType::kBfloat16, ElemType::kInt8,    ElemType::kInt16,
                                    ElemType::kInt32,    ElemType::kInt64,   ElemType::kUint8,
                                    ElemType::kUint16,   ElemType::kUint32,  ElemType::kUint64,
                                    ElemType::kBool,     ElemType::kString};

Truth negation(Truth a) {
  if (a == Truth::kUnknown) return a;
  return a == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

/// Whether a bool element is set.
Truth truth_of(const Scalar& element) {
  const auto number = element.known() ? element.numerator.number() : std::nullopt;
  if (!number) return Truth::kUnknown;
  return *number != 0 ? Truth::kTrue : Truth::kFalse;
}

Truth both(Truth a, Truth b) {
  if (a == Truth::kFalse || b == Truth::kFalse) return Truth::kFalse;
  return a == Truth::kTrue && b == Truth::kTrue ? Truth::kTrue : Truth::kUnknown;
}

using Decide = Truth (*)(const ElementMath&, const Scalar&, const Scalar&);

Truth equal(const ElementMath& math, const Scalar& a, const Scalar& b) { return math.equal(a, b); }
Truth less(const ElementMath& math, const Scalar& a, const Scalar& b) { return math.less(a, b); }
Truth greater(const ElementMath& math, const Scalar& a, const Scalar& b) { return math.less(b, a); }
Truth at_most(const ElementMath& math, const Scalar& a, const Scalar& b) {
  return math.at_most(a, b);
}
Truth at_least(const ElementMath& math, const Scalar& a, const Scalar& b) {
  return math.at_most(b, a);
}
Truth logical_and(const ElementMath& /*math*/, const Scalar& a, const Scalar& b) {
  return both(truth_of(a), truth_of(b));
}
Truth logical_or(const ElementMath& /*math*/, const Scalar& a, const Scalar& b) {
  return negation(both(negation(truth_of(a)), negation(truth_of(b))));
}
Truth logical_xor(const ElementMath& /*math*/, const Scalar& a, const Scalar& b) {
  const Truth left = truth_of(a);
  const Truth right = truth_of(b);
  if (left == Truth::kUnknown || right == Truth::kUnknown) return Truth::kUnknown;
  return left != right ? Truth::kTrue : Truth::kFalse;
}

Outcome set_decisions(InferContext& ctx, std::span<const Operand> both_operands, Decide decide) {
  const ElementMath math(ctx, common_elem(ctx, 0, 2));
  map_elements(ctx, both_operands,
               [&](std::span<const Scalar> x) { return math.boolean(decide(math, x[0], x[1])); });
  return Outcome::kDone;
}

/// Two operands of one type that broadcast, from opset 7 on; the result is bool.
///   C1  one allowed type     C2  the dims broadcast
template <Decide kDecide, const auto& kTypes>
Outcome predicate(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kBool, broadcast_inputs(ctx, 0, 2, "C2"));
  if (!ctx.require_elem(0, kTypes, "C1") || !ctx.require_same_elem(0, 1, "C1")) {
    return Outcome::kFailed;
  }
  return set_decisions(ctx, operands<2>(), kDecide);
}

/// The same up to opset 6, where the second operand broadcasts to the first by attributes.
///   C1  the rank of B is not above that of A, and B fits in it from `axis` on
///   C2  a dim of B is 1 or that of A     C3  one allowed type
template <Decide kDecide, const auto& kTypes>
Outcome legacy_predicate(InferContext& ctx) {
  const Shape* a = ctx.shape(0);
  ctx.set_tensor(0, ElemType::kBool, a != nullptr ? std::optional(*a) : std::nullopt);
  if (!ctx.require_elem(0, kTypes, "C3") || !ctx.require_same_elem(0, 1, "C3")) {
    return Outcome::kFailed;
  }
  const auto aligned = legacy_operands(ctx);
  return aligned ? set_decisions(ctx, *aligned, kDecide) : Outcome::kFailed;
}

/// Not.
///   C1  the input is bool
Outcome logical_not(InferContext& ctx) {
  const Shape* shape = ctx.shape(0);
  ctx.set_tensor(0, ElemType::kBool, shape != nullptr ? std::optional(*shape) : std::nullopt);
  if (!ctx.require_elem(0, kBool, "C1")) return Outcome::kFailed;
  const ElementMath math(ctx, ElemType::kBool);
  map_elements(ctx, operands<1>(),
               [&](std::span<const Scalar> x) { return math.boolean(negation(truth_of(x[0]))); });
  return Outcome::kDone;
}

/// BitwiseAnd, BitwiseOr, BitwiseXor.
///   C1  one integer type     C2  the dims broadcast
Outcome bitwise(InferContext& ctx) {
  ctx.set_tensor(0, common_elem(ctx, 0, 2), broadcast_inputs(ctx, 0, 2, "C2"));
  const bool good = ctx.require_elem(0, kIntegerTypes, "C1") && ctx.require_same_elem(0, 1, "C1");
  return good ? Outcome::kDone : Outcome::kFailed;
}

/// BitwiseNot.
///   C1  an integer type
Outcome bitwise_not(InferContext& ctx) {
  const Shape* shape = ctx.shape(0);
  ctx.set_tensor(0, ctx.elem(0), shape != nullptr ? std::optional(*shape) : std::nullopt);
  return ctx.require_elem(0, kIntegerTypes, "C1") ? Outcome::kDone : Outcome::kFailed;
}

/// Where: an element of X where the condition holds, else one of Y.
///   C1  the condition is bool     C2  X and Y have one type     C3  the dims of all three
///   broadcast
Outcome where(InferContext& ctx) {
  const ElemType elem = common_elem(ctx, 1, 3);
  ctx.set_tensor(0, elem, broadcast_inputs(ctx, 0, 3, "C3"));
  if (!ctx.require_elem(0, kBool, "C1") || !ctx.require_same_elem(1, 2, "C2")) {
    return Outcome::kFailed;
  }
  const ElementMath math(ctx, elem);
  map_elements(ctx, operands<3>(), [&](std::span<const Scalar> x) {
    const Truth condition = truth_of(x[0]);
    if (condition != Truth::kUnknown) return condition == Truth::kTrue ? x[1] : x[2];
    return math.equal(x[1], x[2]) == Truth::kTrue ? x[1] : Scalar{};
  });
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"And", 1, legacy_predicate<logical_and, kBool>},
    {"And", 7, predicate<logical_and, kBool>},
    {"BitwiseAnd", 18, bitwise},
    {"BitwiseNot", 18, bitwise_not},
    {"BitwiseOr", 18, bitwise},
    {"BitwiseXor", 18, bitwise},
    {"Equal", 1, legacy_predicate<equal, kEqualTypes>},
    {"Equal", 7, predicate<equal, kEqualTypes>},
    {"Greater", 1, legacy_predicate<greater, kNumericTypes>},
    {"Greater", 7, predicate<greater, kNumericTypes>},
    {"GreaterOrEqual", 12, predicate<at_least, kNumericTypes>},
    {"Less", 1, legacy_predicate<less, kNumericTypes>},
    {"Less", 7, predicate<less, kNumericTypes>},
    {"LessOrEqual", 12, predicate<at_most, kNumericTypes>},
    {"Not", 1, logical_not},
    {"Or", 1, legacy_predicate<logical_or, kBool>},
    {"Or", 7, predicate<logical_or, kBool>},
    {"Where", 9, where},
    {"Xor", 1, legacy_predicate<logical_xor, kBool>},
    {"Xor", 7, predicate<logical_xor, kBool>},
});

}  // namespace

std::span<const Family> logic_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
