// Operators that make tensors: constants, ranges, random numbers, and shapes of other tensors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/broadcasting.h"
#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"
#include "support/int_math.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64 = {ElemType::kInt64};
constexpr std::array kDiagonalTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                       ElemType::kBfloat16, ElemType::kInt8,    ElemType::kInt16,
                                       ElemType::kInt32,    ElemType::kInt64,   ElemType::kUint8,
                                       ElemType::kUint16,   ElemType::kUint32,  ElemType::kUint64,
                                       ElemType::kBool};
constexpr std::array kRangeTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                    ElemType::kBfloat16, ElemType::kInt16,   ElemType::kInt32,
                                    ElemType::kInt64};

std::optional<Shape> copy_shape(const InferContext& ctx, size_t input) {
  const Shape* shape = ctx.shape(input);
  return shape != nullptr ? std::optional(*shape) : std::nullopt;
}

/// Attribute dtype, or the type that stands in for it.
ElemType dtype_or(const InferContext& ctx, ElemType otherwise) {
  const auto dtype = ctx.attr_int("dtype");
  return dtype ? elem_type(*dtype) : otherwise;
}

// ---- constants
// ------------------------------------------------------------------------------------

/// Sets output 0 to the tensor of an attribute.
Outcome set_tensor_attribute(InferContext& ctx, TensorId id) {
  const Tensor& tensor = ctx.tensor(id);
  ctx.set_tensor(0, tensor.elem, ctx.lits(tensor.dims));
  ctx.set_elements(0, ctx.tensor_elements(id));
  return Outcome::kDone;
}

/// The exact number that a float attribute holds; unknown for what is no number or has digits too
/// far from the point.
Scalar exact_float(const InferContext& ctx, float number) {
  if (!std::isfinite(number)) return {};
  double numerator = number;
  int64_t denominator = 1;
  while (numerator != std::trunc(numerator)) {
    if (denominator >= int64_t{1} << 60) return {};
    numerator *= 2;
    denominator *= 2;
  }
  if (std::abs(numerator) > 0x1p62) return {};
  return {ctx.lit(static_cast<int64_t>(numerator)), denominator};
}

Outcome set_floats(InferContext& ctx, std::span<const float> numbers, std::optional<Shape> shape) {
  ctx.set_tensor(0, ElemType::kFloat, std::move(shape));
  if (numbers.size() > kMaxElements) return Outcome::kDone;
  Elements elements;
  for (const float number : numbers) elements.push_back(exact_float(ctx, number));
  ctx.set_elements(0, std::move(elements));
  return Outcome::kDone;
}

/// Constant in every form.
///   C1  exactly one of the value attributes is there
Outcome constant(InferContext& ctx) {
  const auto vector_of = [&](size_t count) { return Shape{ctx.lit(static_cast<int64_t>(count))}; };
  if (const Attribute* value = ctx.attribute("value"); value != nullptr && value->tensor != kNoId) {
    return set_tensor_attribute(ctx, value->tensor);
  }
  if (const Attribute* value = ctx.attribute("sparse_value");
      value != nullptr && value->tensor != kNoId) {
    ctx.set_tensor(0, ctx.tensor(value->tensor).elem, ctx.lits(value->sparse_dims));
    return Outcome::kDone;
  }
  if (const auto value = ctx.attr_int("value_int")) {
    ctx.set_tensor(0, ElemType::kInt64, Shape());
    ctx.set_integers(0, {ctx.lit(*value)});
    return Outcome::kDone;
  }
  if (const auto value = ctx.attr_ints("value_ints")) {
    ctx.set_tensor(0, ElemType::kInt64, vector_of(value->size()));
    if (value->size() <= kMaxElements) ctx.set_integers(0, ctx.lits(*value));
    return Outcome::kDone;
  }
  if (const auto value = ctx.attr_float("value_float")) {
    return set_floats(ctx, std::array{*value}, Shape());
  }
  if (const auto value = ctx.attr_floats("value_floats")) {
    return set_floats(ctx, *value, vector_of(value->size()));
  }
  if (ctx.attribute("value_string") != nullptr) {
    ctx.set_tensor(0, ElemType::kString, Shape());
    return Outcome::kDone;
  }
  if (const Attribute* value = ctx.attribute("value_strings"); value != nullptr) {
    ctx.set_tensor(0, ElemType::kString, vector_of(value->strings.size()));
    return Outcome::kDone;
  }
  return ctx.fail(Code::kAttribute, "C1", "there is no value attribute");
}

/// ConstantOfShape: the elements of the input are the dims.
///   C1  the input is int64     C2  it is a vector     C3  its elements are not negative
///   C4  attribute value has one element
Outcome constant_of_shape(InferContext& ctx) {
  ElemType elem = ElemType::kFloat;
  Scalar fill{ctx.lit(0), 1};
  if (const Attribute* value = ctx.attribute("value"); value != nullptr && value->tensor != kNoId) {
    elem = ctx.tensor(value->tensor).elem;
    const auto elements = ctx.tensor_elements(value->tensor);
    fill = elements != nullptr && elements->size() == 1 ? elements->front() : Scalar{};
    ctx.set_tensor(0, elem);
    if (ctx.tensor(value->tensor).element_count() != 1) {
      return ctx.fail(Code::kAttribute, "C4", "attribute value must have one element");
    }
  }
  ctx.set_tensor(0, elem);
  if (!ctx.require_elem(0, kInt64, "C1") || !ctx.require_rank(0, 1, "C2")) return Outcome::kFailed;
  const Shape* input = ctx.shape(0);
  const auto rank = input != nullptr ? input->front().number() : std::nullopt;
  if (!rank || *rank > static_cast<int64_t>(kMaxElements)) return Outcome::kDone;
  Shape dims = ctx.integers(0).value_or(Shape(static_cast<size_t>(*rank)));
  for (const Dim dim : dims) {
    if (!dim.known()) continue;
    if (ctx.prover().less(dim, ctx.lit(0)) == Truth::kTrue) {
      return ctx.fail(Code::kInputValue, "C3", "a dim of the shape is negative");
    }
    ctx.at_most(ctx.lit(0), dim, "C3");
  }
  const auto count = element_count(ctx.pool(), dims).number();
  ctx.set_tensor(0, elem, std::move(dims));
  if (count && *count <= static_cast<int64_t>(kMaxElements) && fill.known()) {
    ctx.set_elements(0, Elements(static_cast<size_t>(*count), fill));
  }
  return Outcome::kDone;
}

/// EyeLike: a matrix of the input's shape with ones on diagonal k.
///   C1  the input is a matrix     C2  a type that holds 0 and 1
Outcome eye_like(InferContext& ctx) {
  const ElemType elem = dtype_or(ctx, ctx.elem(0));
  ctx.set_tensor(0, elem);
  if (!ctx.require_elem(0, kDiagonalTypes, "C2") || !ctx.require_rank(0, 2, "C1")) {
    return Outcome::kFailed;
  }
  ctx.set_tensor(0, elem, copy_shape(ctx, 0));
  const auto dims = ctx.shape(0) != nullptr ? static_shape(*ctx.shape(0)) : std::nullopt;
  const auto count = dims ? checked_mul((*dims)[0], (*dims)[1]) : std::nullopt;
  if (!count || *count > static_cast<int64_t>(kMaxElements)) return Outcome::kDone;
  const int64_t k = ctx.attr_int("k", 0);
  const int64_t columns = (*dims)[1];
  Elements elements;
  for (int64_t at = 0; at < *count; ++at) {
    elements.push_back({ctx.lit(at % columns - at / columns == k ? 1 : 0), 1});
  }
  ctx.set_elements(0, std::move(elements));
  return Outcome::kDone;
}

// ---- ranges
// ---------------------------------------------------------------------------------------

/// max(0, ceil((limit - start) / delta)); unknown where the sign of delta is.
Dim range_length(InferContext& ctx, Dim start, Dim limit, Dim delta) {
  const Interval sign = ctx.prover().bounds(delta);
  if (sign.lo < 1 && sign.hi > -1) return {};
  const bool rises = sign.lo >= 1;
  const Dim distance = rises ? limit - start : start - limit;
  const Dim step = rises ? delta : -delta;
  if (!distance.known() || !step.known()) return {};
  if (ctx.prover().bounds(distance).hi <= 0) return ctx.lit(0);
  const Dim length = ceil_div(distance, step);
  return ctx.prover().provably_at_least(distance, 0) ? length : max(length, 0);
}

/// The length of a range of numbers that are known and need few digits.
Dim constant_range_length(InferContext& ctx, ElemType elem, const Scalar& start,
                          const Scalar& limit, const Scalar& delta) {
  const ElementMath math(ctx, elem);
  const Scalar distance = math.subtract(limit, start);
  if (!distance.known() || !delta.known()) return {};
  const auto n = distance.numerator.number();
  const auto d = delta.numerator.number();
  if (!n || !d || *d == 0) return {};
  const auto above = checked_mul(*n, delta.denominator);
  const auto below = checked_mul(*d, distance.denominator);
  // ONNX Runtime divides in double: what needs more than its 53 bits may round to an integer.
  constexpr int64_t kExact = int64_t{1} << 52;
  if (!above || !below || std::abs(*above) > kExact || std::abs(*below) > kExact) return {};
  return range_length(ctx, ctx.lit(0), ctx.lit(*above), ctx.lit(*below));
}

/// Range: start, start + delta, ... below limit.
///   C1  one type     C2  scalars (ONNX Runtime also takes vectors of one element)     C3  delta !=
///   0
Outcome range(InferContext& ctx) {
  const ElemType elem = common_elem(ctx, 0, 3);
  ctx.set_tensor(0, elem, Shape{Dim()});
  std::array<Scalar, 3> inputs;  // start, limit, delta
  for (const size_t i : {0U, 1U, 2U}) {
    if (!ctx.require_elem(i, kRangeTypes, "C1") || !ctx.require_same_elem(0, i, "C1") ||
        !ctx.require_rank(i, 0, 1, "C2")) {
      return Outcome::kFailed;
    }
    const Elements* elements = ctx.elements(i);
    if (elements != nullptr && elements->size() == 1) inputs[i] = elements->front();
  }
  const auto& [start, limit, delta] = inputs;
  if (delta.numerator.is(0)) return ctx.fail(Code::kInputValue, "C3", "delta is 0");
  Dim length;
  if (!is_float(elem)) {
    length = start.known() && limit.known() && delta.known()
                 ? range_length(ctx, start.numerator, limit.numerator, delta.numerator)
                 : Dim();
  } else if (elem == ElemType::kFloat || elem == ElemType::kDouble) {
    length = constant_range_length(ctx, elem, start, limit, delta);
  }
  if (!length.known()) length = ctx.fresh("length");
  ctx.set_tensor(0, elem, Shape{length});
  const auto count = length.number();
  if (!count || *count > static_cast<int64_t>(kMaxElements)) return Outcome::kDone;
  const ElementMath math(ctx, elem);
  Elements elements;
  for (int64_t i = 0; i < *count; ++i) {
    elements.push_back(math.add(start, math.multiply(math.number(i), delta)));
  }
  ctx.set_elements(0, std::move(elements));
  return Outcome::kDone;
}

// ---- random numbers
// -------------------------------------------------------------------------------

/// RandomNormal, RandomUniform.
///   C1  attribute shape is there, without negative dims
Outcome random(InferContext& ctx) {
  ctx.set_tensor(0, dtype_or(ctx, ElemType::kFloat));
  const auto shape = ctx.attr_ints("shape");
  if (!shape || std::any_of(shape->begin(), shape->end(), [](int64_t dim) { return dim < 0; })) {
    return ctx.fail(Code::kAttribute, "C1", "attribute shape is missing or has a negative dim");
  }
  ctx.set_tensor(0, dtype_or(ctx, ElemType::kFloat), ctx.lits(*shape));
  return Outcome::kDone;
}

/// RandomNormalLike, RandomUniformLike: of the input's shape.
Outcome random_like(InferContext& ctx) {
  ctx.set_tensor(0, dtype_or(ctx, ctx.elem(0)), copy_shape(ctx, 0));
  return Outcome::kDone;
}

/// Bernoulli: one draw for each probability.
///   C1  a float type
Outcome bernoulli(InferContext& ctx) {
  ctx.set_tensor(0, dtype_or(ctx, ctx.elem(0)), copy_shape(ctx, 0));
  return ctx.require_elem(0, kFloatTypes, "C1") ? Outcome::kDone : Outcome::kFailed;
}

/// Multinomial: [batch_size, sample_size].
///   C1  a float type     C2  the input is a matrix     C3  sample_size is at least 1
Outcome multinomial(InferContext& ctx) {
  const ElemType elem = dtype_or(ctx, ElemType::kInt32);
  ctx.set_tensor(0, elem);
  if (!ctx.require_elem(0, kFloatTypes, "C1") || !ctx.require_rank(0, 2, "C2")) {
    return Outcome::kFailed;
  }
  const int64_t samples = ctx.attr_int("sample_size", 1);
  if (samples < 1) return ctx.fail(Code::kAttribute, "C3", "sample_size must be at least 1");
  const Shape* input = ctx.shape(0);
  ctx.set_tensor(0, elem, Shape{input != nullptr ? input->front() : Dim(), ctx.lit(samples)});
  return Outcome::kDone;
}

// ---- shapes
// ---------------------------------------------------------------------------------------

/// Shape: the dims from start to end, which are clamped to the rank.
Outcome shape_of(InferContext& ctx) {
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) {
    ctx.set_tensor(0, ElemType::kInt64, Shape{ctx.fresh("rank")});
    return Outcome::kDone;
  }
  const auto rank = static_cast<int64_t>(shape->size());
  const auto clamped = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const int64_t start = clamped(ctx.attr_int("start", 0));
  const int64_t end = std::max(start, clamped(ctx.attr_int("end", rank)));
  ctx.set_tensor(0, ElemType::kInt64, Shape{ctx.lit(end - start)});
  ctx.set_integers(0, Shape(shape->begin() + start, shape->begin() + end));
  return Outcome::kDone;
}

/// Size: the number of elements.
Outcome size_of(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt64, Shape());
  if (const Shape* shape = ctx.shape(0)) ctx.set_integers(0, {element_count(ctx.pool(), *shape)});
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Bernoulli", 15, bernoulli},
    {"Constant", 1, constant},
    {"ConstantOfShape", 9, constant_of_shape},
    {"EyeLike", 9, eye_like},
    {"Multinomial", 7, multinomial},
    {"RandomNormal", 1, random},
    {"RandomNormalLike", 1, random_like},
    {"RandomUniform", 1, random},
    {"RandomUniformLike", 1, random_like},
    {"Range", 11, range},
    {"Shape", 1, shape_of},
    {"Size", 1, size_of},
});

}  // namespace

std::span<const Family> generator_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
