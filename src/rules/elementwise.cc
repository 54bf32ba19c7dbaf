// Operators whose result has the shape of their first input: functions of one variable,
// activations, casts and what only passes a value on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "rules/broadcasting.h"
#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kBool = {ElemType::kBool};
constexpr std::array kSignedTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                     ElemType::kBfloat16, ElemType::kInt8,    ElemType::kInt16,
                                     ElemType::kInt32,    ElemType::kInt64};
constexpr std::array kFloatOrFloat8Types = {ElemType::kFloat,        ElemType::kFloat16,
                                            ElemType::kDouble,       ElemType::kBfloat16,
                                            ElemType::kFloat8E4M3FN, ElemType::kFloat8E4M3FNUZ,
                                            ElemType::kFloat8E5M2,   ElemType::kFloat8E5M2FNUZ};

std::optional<Shape> copy_shape(const InferContext& ctx, size_t input) {
  const Shape* shape = ctx.shape(input);
  return shape != nullptr ? std::optional(*shape) : std::nullopt;
}

/// The result has the type and the shape of the first input.
///   C1  the type is allowed
template <const auto& kTypes>
Outcome same_shape(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), copy_shape(ctx, 0));
  return ctx.require_elem(0, kTypes, "C1") ? Outcome::kDone : Outcome::kFailed;
}

/// IsNaN, IsInf.
///   C1  a float type
Outcome float_predicate(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kBool, copy_shape(ctx, 0));
  return ctx.require_elem(0, kFloatOrFloat8Types, "C1") ? Outcome::kDone : Outcome::kFailed;
}

/// Relu.
///   C1  a signed type
Outcome relu(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), copy_shape(ctx, 0));
  if (!ctx.require_elem(0, kSignedTypes, "C1")) return Outcome::kFailed;
  const ElementMath math(ctx, ctx.elem(0));
  map_elements(ctx, operands<1>(), [&](std::span<const Scalar> x) { return math.rectify(x[0]); });
  return Outcome::kDone;
}

/// Softmax, LogSoftmax, Hardmax. Up to opset 12 the input is read as a matrix, split before `axis`.
///   C1  a float type     C2  -r <= axis < r; up to opset 12 also axis == r
template <int64_t kDefaultAxis>
Outcome softmax(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), copy_shape(ctx, 0));
  if (!ctx.require_elem(0, kFloatTypes, "C1")) return Outcome::kFailed;
  const auto rank = ctx.rank(0);
  if (!rank) return Outcome::kDone;
  const int64_t axis = ctx.attr_int("axis", kDefaultAxis);
  const bool at_end = kDefaultAxis == 1 && axis == static_cast<int64_t>(*rank);
  if (at_end || normalise_axis(axis, *rank)) return Outcome::kDone;
  return ctx.fail(Code::kAttribute, "C2",
                  fmt::format("axis {} is outside of the input's rank {}", axis, *rank));
}

/// SwiGLU: both inputs have one shape.
///   C1  one float type     C2  equal ranks     C3  equal dims
Outcome swiglu(InferContext& ctx) {
  ctx.set_tensor(0, common_elem(ctx, 0, 2), copy_shape(ctx, ctx.shape(0) != nullptr ? 0 : 1));
  if (!ctx.require_elem(0, kFloatTypes, "C1") || !ctx.require_same_elem(0, 1, "C1")) {
    return Outcome::kFailed;
  }
  const Shape* a = ctx.shape(0);
  const Shape* b = ctx.shape(1);
  if (a == nullptr || b == nullptr) return Outcome::kDone;
  if (!ctx.require_rank(1, a->size(), "C2")) return Outcome::kFailed;
  Shape shape = *a;
  const Shape other = *b;
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] = ctx.require_equal(shape[i], other[i], "C3", "the dims of A and B");
  }
  ctx.set_tensor(0, common_elem(ctx, 0, 2), std::move(shape));
  return Outcome::kDone;
}

/// Clip with bounds as inputs, from opset 11 on.
///   C1  one numeric type     C2  min and max are scalars (ONNX Runtime also takes one element in
///   a vector)
Outcome clip(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), copy_shape(ctx, 0));
  if (!ctx.require_elem(0, kNumericTypes, "C1")) return Outcome::kFailed;
  for (const size_t bound : {1U, 2U}) {
    if (!ctx.require_same_elem(0, bound, "C1")) return Outcome::kFailed;
    const Shape* shape = ctx.shape(bound);
    if (shape == nullptr || shape->empty()) continue;
    if (shape->size() > 1 || ctx.prover().provably_not(shape->front(), 1)) {
      return ctx.fail(Code::kInputRank, "C2",
                      fmt::format("{} must be a scalar", bound == 1 ? "min" : "max"));
    }
  }
  const ElementMath math(ctx, ctx.elem(0));
  std::vector<Operand> inputs;
  for (const size_t i : {0U, 1U, 2U}) {
    if (i == 0) inputs.push_back({i, std::nullopt});
    if (i != 0 && ctx.has_input(i)) inputs.push_back({i, Shape()});
  }
  map_elements(ctx, inputs, [&](std::span<const Scalar> x) {
    Scalar result = x[0];
    size_t next = 1;
    if (ctx.has_input(1)) result = math.larger(result, x[next++]);
    if (ctx.has_input(2)) result = math.smaller(result, x[next]);
    return result;
  });
  return Outcome::kDone;
}

/// The data that Dropout passes on, and its mask, which is of the data's type up to opset 9.
///   C1  a float type
template <bool kBoolMask>
Outcome dropout(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), copy_shape(ctx, 0));
  ctx.set_tensor(1, kBoolMask ? ElemType::kBool : ctx.elem(0), copy_shape(ctx, 0));
  return ctx.require_elem(0, kFloatOrFloat8Types, "C1") ? Outcome::kDone : Outcome::kFailed;
}

/// Dropout from opset 12 on.
///   C1  float types, and training_mode is bool     C2  ratio and training_mode are scalars
Outcome dropout_with_inputs(InferContext& ctx) {
  if (dropout<true>(ctx) == Outcome::kFailed) return Outcome::kFailed;
  const bool good = ctx.require_elem(1, kFloatOrFloat8Types, "C1") &&
                    ctx.require_elem(2, kBool, "C1") && ctx.require_rank(1, 0, "C2") &&
                    ctx.require_rank(2, 0, "C2");
  return good ? Outcome::kDone : Outcome::kFailed;
}

/// Attribute `to` as an element type; up to opset 5 it is the type's name.
ElemType target_type(const InferContext& ctx) {
  constexpr auto kNames = std::to_array<std::pair<std::string_view, ElemType>>({
      {"FLOAT", ElemType::kFloat},
      {"UINT8", ElemType::kUint8},
      {"INT8", ElemType::kInt8},
      {"UINT16", ElemType::kUint16},
      {"INT16", ElemType::kInt16},
      {"INT32", ElemType::kInt32},
      {"INT64", ElemType::kInt64},
      {"STRING", ElemType::kString},
      {"BOOL", ElemType::kBool},
      {"FLOAT16", ElemType::kFloat16},
      {"DOUBLE", ElemType::kDouble},
      {"UINT32", ElemType::kUint32},
      {"UINT64", ElemType::kUint64},
      {"COMPLEX64", ElemType::kComplex64},
      {"COMPLEX128", ElemType::kComplex128},
  });
  if (const auto number = ctx.attr_int("to")) return elem_type(*number);
  const std::string_view name = ctx.attr_string("to", "");
  const auto* const row = std::find_if(kNames.begin(), kNames.end(),
                                       [&](const auto& entry) { return entry.first == name; });
  return row != kNames.end() ? row->second : ElemType::kUndefined;
}

/// Sets output 0 to input 0 as another type.
Outcome set_cast(InferContext& ctx, ElemType to) {
  ctx.set_tensor(0, to, copy_shape(ctx, 0));
  const ElementMath math(ctx, to);
  const bool same = ctx.elem(0) == to;
  map_elements(ctx, operands<1>(),
               [&](std::span<const Scalar> x) { return same ? x[0] : math.cast(x[0]); });
  return Outcome::kDone;
}

/// Cast.
///   C1  `to` is an element type
Outcome cast(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kUndefined, copy_shape(ctx, 0));
  const ElemType to = target_type(ctx);
  if (to != ElemType::kUndefined) return set_cast(ctx, to);
  return ctx.fail(Code::kAttribute, "C1", "attribute `to` is no element type");
}

/// CastLike: the type of the second input.
Outcome cast_like(InferContext& ctx) { return set_cast(ctx, ctx.elem(1)); }

/// BitCast.
///   C1  `to` is an element type, and not string     C2  both types have the same number of bits
Outcome bit_cast(InferContext& ctx) {
  const ElemType to = target_type(ctx);
  ctx.set_tensor(0, to, copy_shape(ctx, 0));
  if (element_bits(to) == 0) {
    return ctx.fail(Code::kAttribute, "C1", "attribute `to` is no element type of fixed size");
  }
  if (ctx.elem(0) == ElemType::kUndefined || element_bits(ctx.elem(0)) == element_bits(to)) {
    return Outcome::kDone;
  }
  return ctx.fail(Code::kInputType, "C2",
                  fmt::format("the bits of a {} are not those of a {}", elem_type_name(ctx.elem(0)),
                              elem_type_name(to)));
}

/// Identity, of a value of any kind.
Outcome identity(InferContext& ctx) {
  ctx.set(0, ctx.input_with_contents(0));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Acos", 1, same_shape<kFloatTypes>},
    {"Acosh", 1, same_shape<kFloatTypes>},
    {"Affine", 1, same_shape<kFloatTypes>},  // experimental, until opset 9
    {"Asin", 1, same_shape<kFloatTypes>},
    {"Asinh", 1, same_shape<kFloatTypes>},
    {"Atan", 1, same_shape<kFloatTypes>},
    {"Atanh", 1, same_shape<kFloatTypes>},
    {"BitCast", 1, bit_cast},
    {"Cast", 1, cast},
    {"CastLike", 1, cast_like},
    {"Celu", 1, same_shape<kFloatTypes>},
    {"Clip", 1, same_shape<kNumericTypes>},  // the bounds are attributes
    {"Clip", 11, clip},
    {"Cos", 1, same_shape<kFloatTypes>},
    {"Cosh", 1, same_shape<kFloatTypes>},
    {"Dropout", 1, dropout<false>},
    {"Dropout", 10, dropout<true>},
    {"Dropout", 12, dropout_with_inputs},
    {"Elu", 1, same_shape<kFloatTypes>},
    {"Erf", 1, same_shape<kNumericTypes>},
    {"Exp", 1, same_shape<kFloatTypes>},
    {"Gelu", 1, same_shape<kFloatTypes>},
    {"HardSigmoid", 1, same_shape<kFloatTypes>},
    {"HardSwish", 1, same_shape<kFloatTypes>},
    {"Hardmax", 1, softmax<1>},
    {"Hardmax", 13, softmax<-1>},
    {"Identity", 1, identity},
    {"ImageScaler", 1, same_shape<kFloatTypes>},  // experimental, until opset 9
    {"IsInf", 1, float_predicate},
    {"IsNaN", 1, float_predicate},
    {"LeakyRelu", 1, same_shape<kFloatTypes>},
    {"Log", 1, same_shape<kFloatTypes>},
    {"LogSoftmax", 1, softmax<1>},
    {"LogSoftmax", 13, softmax<-1>},
    {"Mish", 1, same_shape<kFloatTypes>},
    {"ParametricSoftplus", 1, same_shape<kFloatTypes>},  // experimental, until opset 9
    {"Relu", 1, relu},
    {"Scale", 1, same_shape<kFloatTypes>},       // experimental, until opset 9
    {"ScaledTanh", 1, same_shape<kFloatTypes>},  // experimental, until opset 9
    {"Selu", 1, same_shape<kFloatTypes>},
    {"Shrink", 1, same_shape<kNumericTypes>},
    {"Sigmoid", 1, same_shape<kFloatTypes>},
    {"Sin", 1, same_shape<kFloatTypes>},
    {"Sinh", 1, same_shape<kFloatTypes>},
    {"Softmax", 1, softmax<1>},
    {"Softmax", 13, softmax<-1>},
    {"Softplus", 1, same_shape<kFloatTypes>},
    {"Softsign", 1, same_shape<kFloatTypes>},
    {"SwiGLU", 1, swiglu},
    {"Swish", 1, same_shape<kFloatTypes>},
    {"Tan", 1, same_shape<kFloatTypes>},
    {"Tanh", 1, same_shape<kFloatTypes>},
    {"ThresholdedRelu", 1, same_shape<kFloatTypes>},
});

}  // namespace

std::span<const Family> elementwise_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
