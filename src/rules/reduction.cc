// Reductions over axes, and running sums and products.
#include <fmt/format.h>

#include <array>

#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64 = {ElemType::kInt64};
constexpr std::array kReducedTypes = {
    ElemType::kFloat, ElemType::kFloat16, ElemType::kDouble, ElemType::kBfloat16, ElemType::kInt32,
    ElemType::kInt64, ElemType::kUint32,  ElemType::kUint64, ElemType::kInt8,     ElemType::kUint8};
constexpr std::array kExtremumTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                       ElemType::kBfloat16, ElemType::kInt32,   ElemType::kInt64,
                                       ElemType::kUint32,   ElemType::kUint64,  ElemType::kInt8,
                                       ElemType::kUint8,    ElemType::kBool};

using BinaryFunction = Scalar (ElementMath::*)(const Scalar&, const Scalar&) const;

/// What is reduced. `axes` holds a flag for each axis of the input; nothing if that is not known.
struct Reduced {
  std::optional<std::vector<bool>> axes;
  std::optional<size_t> count;  // how many axes were named, if that is known
  bool keeps_dims = true;
};

/// Marks the named axes.
///   C2  -r <= axis < r
std::optional<std::vector<bool>> mark_axes(InferContext& ctx, std::span<const int64_t> axes,
                                           size_t rank) {
  std::vector<bool> marked(rank, false);
  for (const int64_t axis : axes) {
    const auto index = normalise_axis(axis, rank);
    if (!index) {
      ctx.report(Code::kAttribute, "C2",
                 fmt::format("axis {} is outside of the input's rank {}", axis, rank));
      return std::nullopt;
    }
    marked[*index] = true;
  }
  return marked;
}

/// The axes of a node whose input 0 has this rank; nothing if they are wrong (reported). They are
/// attribute `axes`, or, where that form of the operator has it, input 1. Without axes, all are
/// reduced, or none with noop_with_empty_axes.
std::optional<Reduced> read_axes(InferContext& ctx, bool from_input, size_t rank) {
  Reduced reduced;
  reduced.keeps_dims = ctx.attr_int("keepdims", 1) != 0;
  std::optional<std::vector<int64_t>> axes;
  if (!from_input) {
    const auto attribute = ctx.attr_ints("axes");
    axes.emplace();
    if (attribute) axes->assign(attribute->begin(), attribute->end());
  } else if (!ctx.has_input(1)) {
    axes.emplace();
  } else {
    axes = ctx.constant_integers(1);
    if (const Shape* shape = ctx.shape(1); shape != nullptr && shape->size() == 1) {
      const auto length = shape->front().number();
      if (length) reduced.count = static_cast<size_t>(*length);
      if (length == 0) axes.emplace();
    }
  }
  if (!axes) return reduced;
  if (axes->empty()) {
    const bool none = from_input && ctx.attr_int("noop_with_empty_axes", 0) != 0;
    reduced.axes.emplace(rank, !none);
    return reduced;
  }
  reduced.axes = mark_axes(ctx, *axes, rank);
  return reduced.axes ? std::optional(reduced) : std::nullopt;
}

std::optional<Shape> reduced_shape(InferContext& ctx, const Shape& input, const Reduced& reduced) {
  if (!reduced.axes) {
    // Each dim is kept or becomes 1. Axes that are named twice count once, so only a single one
    // tells the rank of what is left.
    if (reduced.keeps_dims) {
      Shape shape(input.size());
      for (size_t axis = 0; axis < input.size(); ++axis) {
        if (input[axis].is(1)) shape[axis] = ctx.lit(1);
      }
      return shape;
    }
    return reduced.count == 1 && !input.empty() ? std::optional(Shape(input.size() - 1))
                                                : std::nullopt;
  }
  Shape shape;
  for (size_t axis = 0; axis < input.size(); ++axis) {
    if (!(*reduced.axes)[axis]) {
      shape.push_back(input[axis]);
    } else if (reduced.keeps_dims) {
      shape.push_back(ctx.lit(1));
    }
  }
  return shape;
}

/// Folds the known elements of input 0 into those of output 0. A fold over nothing is left unknown.
void reduce_elements(InferContext& ctx, const Reduced& reduced, BinaryFunction function) {
  const Fact input = ctx.input_with_contents(0);
  if (function == nullptr || !reduced.axes || !input.elements || input.elements->empty()) return;
  const auto dims = static_shape(*input.shape);
  if (!dims) return;
  const ElementMath math(ctx, input.elem);
  size_t count = 1;
  std::vector<size_t> strides(dims->size(), 0);
  for (size_t axis = dims->size(); axis-- > 0;) {
    if ((*reduced.axes)[axis]) continue;
    strides[axis] = count;
    count *= static_cast<size_t>((*dims)[axis]);
  }
  Elements result(count);
  std::vector<bool> started(count, false);
  std::vector<int64_t> index(dims->size(), 0);
  for (const Scalar& element : *input.elements) {
    size_t at = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) {
      at += static_cast<size_t>(index[axis]) * strides[axis];
    }
    result[at] = started[at] ? (math.*function)(result[at], element) : element;
    started[at] = true;
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < (*dims)[axis]) break;
      index[axis] = 0;
    }
  }
  ctx.set_elements(0, std::move(result));
}

/// The Reduce operators: the reduced axes become 1 or, with keepdims = 0, go. Axes are an attribute
/// (kFromInput false) or an input.
///   C1  the type is allowed     C2  -r <= axis < r     C3  axes is an int64 vector
template <bool kFromInput, const auto& kTypes, BinaryFunction kFunction = nullptr>
Outcome reduce(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(0, kTypes, "C1")) return Outcome::kFailed;
  if (kFromInput && (!ctx.require_elem(1, kInt64, "C3") || !ctx.require_rank(1, 1, "C3"))) {
    return Outcome::kFailed;
  }
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) return Outcome::kDone;
  const Shape input = *shape;
  const auto reduced = read_axes(ctx, kFromInput, input.size());
  if (!reduced) return Outcome::kFailed;
  ctx.set_tensor(0, ctx.elem(0), reduced_shape(ctx, input, *reduced));
  reduce_elements(ctx, *reduced, kFunction);
  return Outcome::kDone;
}

/// ArgMax, ArgMin: indices along one axis.
///   C1  a numeric type     C2  -r <= axis < r
Outcome arg_extremum(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt64);
  if (!ctx.require_elem(0, kNumericTypes, "C1")) return Outcome::kFailed;
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) return Outcome::kDone;
  Reduced reduced;
  reduced.keeps_dims = ctx.attr_int("keepdims", 1) != 0;
  reduced.axes = mark_axes(ctx, std::array{ctx.attr_int("axis", 0)}, shape->size());
  if (!reduced.axes) return Outcome::kFailed;
  ctx.set_tensor(0, ElemType::kInt64, reduced_shape(ctx, *shape, reduced));
  return Outcome::kDone;
}

/// Det: one number for each square matrix of the last two axes.
///   C1  a float type     C2  the rank is at least 2     C3  the last two dims are equal
Outcome determinant(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(0, kFloatTypes, "C1") || !ctx.require_rank(0, 2, SIZE_MAX, "C2")) {
    return Outcome::kFailed;
  }
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) return Outcome::kDone;
  Shape result = *shape;
  const Dim columns = result.back();
  result.pop_back();
  (void)ctx.require_equal(result.back(), columns, "C3", "the dims of a matrix");
  result.pop_back();
  ctx.set_tensor(0, ctx.elem(0), std::move(result));
  return Outcome::kDone;
}

/// Folds known elements along an axis, each into the next.
Elements running(const ElementMath& math, BinaryFunction function, const Scalar& start,
                 const Elements& input, std::span<const int64_t> dims, size_t axis, bool exclusive,
                 bool reverse) {
  size_t inner = 1;
  for (size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<size_t>(dims[i]);
  const auto length = static_cast<size_t>(dims[axis]);
  Elements result(input.size());
  for (size_t first = 0; first < input.size(); ++first) {
    if ((first / inner) % length != 0) continue;
    Scalar sum = start;
    for (size_t step = 0; step < length; ++step) {
      const size_t at = first + (reverse ? length - 1 - step : step) * inner;
      const Scalar next = step == 0 ? input[at] : (math.*function)(sum, input[at]);
      result[at] = exclusive ? sum : next;
      sum = next;
    }
  }
  return result;
}

/// CumSum, CumProd: the shape of the input.
///   C1  a numeric type     C2  axis is an integer     C3  axis is a scalar (ONNX Runtime also
///   takes a vector of one element)     C4  -r <= axis < r
template <BinaryFunction kFunction, int64_t kStart>
Outcome cumulate(InferContext& ctx) {
  const Shape* shape = ctx.shape(0);
  ctx.set_tensor(0, ctx.elem(0), shape != nullptr ? std::optional(*shape) : std::nullopt);
  if (!ctx.require_elem(0, kNumericTypes, "C1") || !ctx.require_elem(1, kIndexTypes, "C2") ||
      !ctx.require_rank(1, 0, 1, "C3")) {
    return Outcome::kFailed;
  }
  const Dim named = ctx.scalar_integer(1);
  const auto axis = named.known() ? named.number() : std::nullopt;
  if (shape == nullptr || !axis) return Outcome::kDone;
  const auto index = normalise_axis(*axis, ctx.shape(0)->size());
  if (!index) {
    return ctx.fail(
        Code::kInputValue, "C4",
        fmt::format("axis {} is outside of the input's rank {}", *axis, ctx.shape(0)->size()));
  }
  const Fact input = ctx.input_with_contents(0);
  const auto dims = static_shape(*input.shape);
  if (!input.elements || !dims) return Outcome::kDone;
  const ElementMath math(ctx, input.elem);
  ctx.set_elements(0, running(math, kFunction, math.number(kStart), *input.elements, *dims, *index,
                              ctx.attr_int("exclusive", 0) != 0, ctx.attr_int("reverse", 0) != 0));
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"ArgMax", 1, arg_extremum},
    {"ArgMin", 1, arg_extremum},
    {"CumProd", 26, cumulate<&ElementMath::multiply, 1>},
    {"CumSum", 11, cumulate<&ElementMath::add, 0>},
    {"Det", 11, determinant},
    {"ReduceL1", 1, reduce<false, kReducedTypes>},
    {"ReduceL1", 18, reduce<true, kReducedTypes>},
    {"ReduceL2", 1, reduce<false, kReducedTypes>},
    {"ReduceL2", 18, reduce<true, kReducedTypes>},
    {"ReduceLogSum", 1, reduce<false, kReducedTypes>},
    {"ReduceLogSum", 18, reduce<true, kReducedTypes>},
    {"ReduceLogSumExp", 1, reduce<false, kReducedTypes>},
    {"ReduceLogSumExp", 18, reduce<true, kReducedTypes>},
    {"ReduceMax", 1, reduce<false, kExtremumTypes, &ElementMath::larger>},
    {"ReduceMax", 18, reduce<true, kExtremumTypes, &ElementMath::larger>},
    {"ReduceMean", 1, reduce<false, kReducedTypes>},
    {"ReduceMean", 18, reduce<true, kReducedTypes>},
    {"ReduceMin", 1, reduce<false, kExtremumTypes, &ElementMath::smaller>},
    {"ReduceMin", 18, reduce<true, kExtremumTypes, &ElementMath::smaller>},
    {"ReduceProd", 1, reduce<false, kReducedTypes, &ElementMath::multiply>},
    {"ReduceProd", 18, reduce<true, kReducedTypes, &ElementMath::multiply>},
    {"ReduceSum", 1, reduce<false, kReducedTypes, &ElementMath::add>},
    {"ReduceSum", 13, reduce<true, kReducedTypes, &ElementMath::add>},
    {"ReduceSumSquare", 1, reduce<false, kReducedTypes>},
    {"ReduceSumSquare", 18, reduce<true, kReducedTypes>},
});

}  // namespace

std::span<const Family> reduction_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
