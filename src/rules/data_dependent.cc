// Operators whose output sizes depend on the data: what is selected, found, or left of duplicates.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kBool = {ElemType::kBool};
constexpr std::array kFloat = {ElemType::kFloat};
constexpr std::array kInt64 = {ElemType::kInt64};

// ---- NonZero
// --------------------------------------------------------------------------------------

/// Whether each element is not zero; nothing if one of them is undecided.
std::optional<std::vector<bool>> decide_nonzero(InferContext& ctx, const Elements& elements) {
  std::vector<bool> set;
  for (const Scalar& element : elements) {
    if (!element.known()) return std::nullopt;
    const bool zero = element.numerator.is(0);
    if (!zero && !ctx.prover().provably_not(element.numerator, 0)) return std::nullopt;
    set.push_back(!zero);
  }
  return set;
}

/// The indices of the set elements, one row an axis.
Shape indices_of(InferContext& ctx, const std::vector<bool>& set, std::span<const int64_t> dims) {
  std::vector<Shape> rows(dims.size());
  for (size_t at = 0; at < set.size(); ++at) {
    if (!set[at]) continue;
    auto rest = static_cast<int64_t>(at);
    for (size_t axis = dims.size(); axis-- > 0;) {
      rows[axis].push_back(ctx.lit(rest % dims[axis]));
      rest /= dims[axis];
    }
  }
  Shape all;
  for (const Shape& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// NonZero: [r, nnz], the indices of the elements that are not zero; nnz <= the element count. For
/// a scalar the specification says (0, nnz) and ONNX Runtime gives (1, nnz), so that dim is
/// unknown.
Outcome nonzero(InferContext& ctx) {
  const Shape* shape = ctx.shape(0);
  const Dim rank = shape == nullptr ? ctx.fresh("rank")
                   : shape->empty() ? Dim()
                                    : ctx.lit(static_cast<int64_t>(shape->size()));
  const Fact input = ctx.input_with_contents(0);
  const auto set = input.elements ? decide_nonzero(ctx, *input.elements) : std::nullopt;
  if (set) {
    const auto dims = static_shape(*input.shape);
    const auto count = std::count(set->begin(), set->end(), true);
    ctx.set_tensor(0, ElemType::kInt64, Shape{rank, ctx.lit(count)});
    if (dims && !dims->empty()) ctx.set_integers(0, indices_of(ctx, *set, *dims));
    return Outcome::kDone;
  }
  const Dim count = ctx.fresh("nnz");
  if (input.shape) ctx.at_most(count, element_count(ctx.pool(), *input.shape), "nonzero-count");
  ctx.set_tensor(0, ElemType::kInt64, Shape{rank, count});
  return Outcome::kDone;
}

// ---- Compress
// -------------------------------------------------------------------------------------

/// How many of `length` slices the condition selects; a longer condition is cut off. Bounded where
/// that is not known.
Dim compressed_length(InferContext& ctx, Dim length) {
  const Elements* condition = ctx.elements(1);
  if (condition != nullptr && length.known()) {
    const auto set = decide_nonzero(ctx, *condition);
    const auto size = static_cast<int64_t>(condition->size());
    if (set && ctx.prover().at_most(ctx.lit(size), length) == Truth::kTrue) {
      return ctx.lit(std::count(set->begin(), set->end(), true));
    }
    if (set && length.number() && *length.number() <= size) {
      return ctx.lit(std::count(set->begin(), set->begin() + *length.number(), true));
    }
  }
  const Dim count = ctx.fresh("count");
  ctx.at_most(count, length, "compress-count");
  const Shape* shape = ctx.shape(1);
  if (shape != nullptr) ctx.at_most(count, shape->front(), "compress-count");
  return count;
}

/// The selected elements of a vector or, without axis, of anything.
void select_elements(InferContext& ctx) {
  const Fact input = ctx.input_with_contents(0);
  const Elements* condition = ctx.elements(1);
  if (!input.elements || condition == nullptr) return;
  const auto set = decide_nonzero(ctx, *condition);
  if (!set) return;
  Elements selected;
  for (size_t i = 0; i < std::min(set->size(), input.elements->size()); ++i) {
    if ((*set)[i]) selected.push_back((*input.elements)[i]);
  }
  ctx.set_elements(0, std::move(selected));
}

/// Compress: the slices along axis, or the elements, where the condition holds.
///   C1  the condition is bool     C2  it is a vector     C3  the rank is at least 1
///   C4  -r <= axis < r
Outcome compress(InferContext& ctx) {
  const auto axis = ctx.attr_int("axis");
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kBool, "C1") || !ctx.require_rank(1, 1, "C2") ||
      !ctx.require_rank(0, 1, SIZE_MAX, "C3")) {
    return Outcome::kFailed;
  }
  const Shape* shape = ctx.shape(0);
  if (!axis) {
    const Dim length = shape != nullptr ? element_count(ctx.pool(), *shape) : Dim();
    ctx.set_tensor(0, ctx.elem(0), Shape{compressed_length(ctx, length)});
    select_elements(ctx);
    return Outcome::kDone;
  }
  if (shape == nullptr) return Outcome::kDone;
  Shape result = *shape;
  const auto index = normalise_axis(*axis, result.size());
  if (!index) {
    return ctx.fail(Code::kAttribute, "C4",
                    fmt::format("axis {} is outside of the input's rank {}", *axis, result.size()));
  }
  result[*index] = compressed_length(ctx, result[*index]);
  const bool vector = result.size() == 1;
  ctx.set_tensor(0, ctx.elem(0), std::move(result));
  if (vector) select_elements(ctx);
  return Outcome::kDone;
}

// ---- Unique
// ---------------------------------------------------------------------------------------

/// Unique: Y, and for each of its n entries the first index and the count; inverse_indices has an
/// entry for each entry of X. n <= the number of entries.
///   C1  the rank is at least 1 with axis     C2  -r <= axis < r     C3  sorted is 0 or 1
Outcome unique(InferContext& ctx) {
  const auto axis = ctx.attr_int("axis");
  const Dim count = ctx.fresh("count");
  ctx.set_tensor(0, ctx.elem(0), axis ? std::nullopt : std::optional(Shape{count}));
  ctx.set_tensor(1, ElemType::kInt64, Shape{count});
  ctx.set_tensor(2, ElemType::kInt64, Shape{Dim()});
  ctx.set_tensor(3, ElemType::kInt64, Shape{count});
  const int64_t sorted = ctx.attr_int("sorted", 1);
  if (sorted != 0 && sorted != 1) {
    return ctx.fail(Code::kAttribute, "C3", "sorted is neither 0 nor 1");
  }
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) return Outcome::kDone;
  Shape result{count};
  Dim entries = element_count(ctx.pool(), *shape);
  if (axis) {
    if (!ctx.require_rank(0, 1, SIZE_MAX, "C1")) return Outcome::kFailed;
    result = *shape;
    const auto index = normalise_axis(*axis, result.size());
    if (!index) {
      return ctx.fail(
          Code::kAttribute, "C2",
          fmt::format("axis {} is outside of the input's rank {}", *axis, result.size()));
    }
    entries = result[*index];
    result[*index] = count;
  }
  ctx.at_most(count, entries, "unique-count");
  if (ctx.prover().provably_at_least(entries, 1)) {
    ctx.at_most(ctx.lit(1), count, "unique-count");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(result));
  ctx.set_tensor(2, ElemType::kInt64, Shape{entries});
  return Outcome::kDone;
}

// ---- TopK
// -----------------------------------------------------------------------------------------

/// Sets the outputs for a vector of known, comparable elements.
void sort_top(InferContext& ctx, int64_t k, bool largest) {
  const Fact input = ctx.input_with_contents(0);
  if (!input.elements || input.shape->size() != 1 || k > static_cast<int64_t>(kMaxElements)) return;
  const Elements& elements = *input.elements;
  const bool constant = std::all_of(elements.begin(), elements.end(), [](const Scalar& e) {
    return e.known() && e.numerator.number();
  });
  if (!constant || k > static_cast<int64_t>(elements.size())) return;
  std::vector<size_t> order(elements.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const ElementMath math(ctx, input.elem);
  // The element with the lower index comes first among equal ones.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return math.less(elements[largest ? b : a], elements[largest ? a : b]) == Truth::kTrue;
  });
  Elements values;
  Shape indices;
  for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
    values.push_back(elements[order[i]]);
    indices.push_back(ctx.lit(static_cast<int64_t>(order[i])));
  }
  ctx.set_elements(0, std::move(values));
  ctx.set_integers(1, indices);
}

/// The dim that k entries have; k <= the dim of the axis.
Outcome set_top(InferContext& ctx, Dim k) {
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) return Outcome::kDone;
  Shape result = *shape;
  const int64_t axis = ctx.attr_int("axis", -1);
  const auto index = normalise_axis(axis, result.size());
  if (!index) {
    return ctx.fail(Code::kAttribute, "C4",
                    fmt::format("axis {} is outside of the input's rank {}", axis, result.size()));
  }
  if (ctx.prover().less(k, ctx.lit(0)) == Truth::kTrue ||
      ctx.prover().less(result[*index], k) == Truth::kTrue) {
    return ctx.fail(Code::kInputValue, "C5", "k is negative or above the dim of the axis");
  }
  ctx.at_most(k, result[*index], "C5");
  ctx.at_most(ctx.lit(0), k, "C5");
  result[*index] = k;
  ctx.set_tensor(0, ctx.elem(0), result);
  ctx.set_tensor(1, ElemType::kInt64, std::move(result));
  const auto number = k.number();
  if (number && ctx.attr_int("sorted", 1) != 0) {
    sort_top(ctx, *number, ctx.attr_int("largest", 1) != 0);
  }
  return Outcome::kDone;
}

/// TopK, values and indices, from opset 10 on.
///   C1  a numeric type     C2  K is int64     C3  K is a vector of one element
///   C4  -r <= axis < r     C5  0 <= k <= the dim of the axis
Outcome top_k(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(1, ElemType::kInt64);
  if (!ctx.require_elem(0, kNumericTypes, "C1") || !ctx.require_elem(1, kInt64, "C2") ||
      !ctx.require_rank(1, 1, "C3")) {
    return Outcome::kFailed;
  }
  if (const Shape* shape = ctx.shape(1);
      shape != nullptr && shape->front().known() && ctx.prover().provably_not(shape->front(), 1)) {
    return ctx.fail(Code::kInputDim, "C3", "K must have one element");
  }
  const Dim k = ctx.scalar_integer(1);
  return set_top(ctx, k.known() ? k : ctx.fresh("k"));
}

/// TopK up to opset 9, where k is an attribute.
///   C1  a numeric type     C2  attribute k is there     C4, C5  as above
Outcome top_k_attribute(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  ctx.set_tensor(1, ElemType::kInt64);
  if (!ctx.require_elem(0, kNumericTypes, "C1")) return Outcome::kFailed;
  const auto k = ctx.attr_int("k");
  if (!k) return ctx.fail(Code::kAttribute, "C2", "attribute k is missing");
  return set_top(ctx, ctx.lit(*k));
}

// ---- NonMaxSuppression
// ----------------------------------------------------------------------------

/// NonMaxSuppression: [n, 3] indices of boxes [b, s, 4] by scores [b, c, s], where
/// n <= b * c * min(s, max_output_boxes_per_class); without the maximum, which is then 0, n is 0.
///   C1  float boxes and scores, an int64 maximum     C2  boxes and scores have rank 3
///   C3  equal batches     C4  equal numbers of boxes     C5  a box is 4 numbers
Outcome non_max_suppression(InferContext& ctx) {
  ctx.set_tensor(0, ElemType::kInt64, Shape{Dim(), ctx.lit(3)});
  if (!ctx.require_elem(0, kFloat, "C1") || !ctx.require_elem(1, kFloat, "C1") ||
      !ctx.require_elem(2, kInt64, "C1") || !ctx.require_rank(0, 3, "C2") ||
      !ctx.require_rank(1, 3, "C2")) {
    return Outcome::kFailed;
  }
  const Shape boxes = ctx.shape(0) != nullptr ? *ctx.shape(0) : Shape(3);
  const Shape scores = ctx.shape(1) != nullptr ? *ctx.shape(1) : Shape(3);
  const Dim batches =
      ctx.require_equal(boxes[0], scores[0], "C3", "the batches of boxes and scores");
  const Dim count = ctx.require_equal(boxes[1], scores[2], "C4", "the numbers of boxes");
  (void)ctx.require_equal(boxes[2], ctx.lit(4), "C5", "the last dim of boxes and 4");
  const Dim most = ctx.has_input(2) ? ctx.scalar_integer(2) : ctx.lit(0);
  Dim selected = ctx.lit(0);
  if (!most.is(0)) {
    selected = ctx.fresh("count");
    ctx.awaits(ctx.node().inputs[0]);
    ctx.awaits(ctx.node().inputs[1]);
    const bool bounded = most.known() && ctx.prover().provably_at_least(most, 0);
    ctx.at_most(selected, batches * scores[1] * (bounded ? min(count, most) : count), "nms-count");
  }
  ctx.set_tensor(0, ElemType::kInt64, Shape{selected, ctx.lit(3)});
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Compress", 9, compress},
    {"NonMaxSuppression", 10, non_max_suppression},
    {"NonZero", 9, nonzero},
    {"TopK", 1, top_k_attribute},
    {"TopK", 10, top_k},
    {"Unique", 11, unique},
});

}  // namespace

std::span<const Family> data_dependent_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
