#include "rules/broadcasting.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <numeric>

#include "rules/element_math.h"
#include "rules/numeric_types.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kSlopeTypes = {ElemType::kFloat,    ElemType::kFloat16, ElemType::kDouble,
                                    ElemType::kBfloat16, ElemType::kInt32,   ElemType::kInt64,
                                    ElemType::kUint32,   ElemType::kUint64};

/// Sizes and positions of tensors whose contents are followed. They come and go with every node
/// that computes with elements: few fit into memory on the stack.
using Sizes = std::pmr::vector<size_t>;

size_t position(std::span<const size_t> index, std::span<const size_t> strides) {
  size_t at = 0;
  for (size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * strides[axis];
  return at;
}

/// A tensor that is read by the index of another tensor of at least its rank.
struct Broadcast {
  std::shared_ptr<const Elements> elements;  // null: nothing is known of them
  Sizes strides;  // of known elements, by axis of the result; 0 where the operand's dim is 1

  [[nodiscard]] Scalar at(std::span<const size_t> index) const {
    return elements ? (*elements)[position(index, strides)] : Scalar{};
  }
};

/// The strides of a row-major tensor, aligned at the right of `rank` axes.
Sizes broadcast_strides(std::span<const size_t> dims, size_t rank,
                        std::pmr::memory_resource& memory) {
  Sizes strides(rank, 0, &memory);
  size_t stride = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    strides[rank - dims.size() + axis] = dims[axis] == 1 ? 0 : stride;
    stride *= dims[axis];
  }
  return strides;
}

size_t element_count(std::span<const size_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), size_t{1}, std::multiplies<>());
}

/// The dims of a tensor whose contents are followed; nothing for one that is too large.
std::optional<Sizes> small_shape(std::span<const Dim> shape, std::pmr::memory_resource& memory) {
  size_t count = 1;
  Sizes dims(&memory);
  dims.reserve(shape.size());
  for (const Dim dim : shape) {
    const auto number = dim.number();
    if (!number || *number < 0 || *number > static_cast<int64_t>(kMaxElements)) return std::nullopt;
    dims.push_back(static_cast<size_t>(*number));
    count *= dims.back();
    if (count > kMaxElements) return std::nullopt;
  }
  return dims;
}

std::optional<Broadcast> broadcast_operand(InferContext& ctx, const Operand& operand,
                                           std::span<const size_t> result,
                                           std::pmr::memory_resource& memory) {
  const Shape* shape = operand.dims ? &*operand.dims : ctx.shape(operand.input);
  const auto dims = shape != nullptr ? small_shape(*shape, memory) : std::nullopt;
  if (!dims || dims->size() > result.size()) return std::nullopt;
  const size_t offset = result.size() - dims->size();
  for (size_t axis = 0; axis < dims->size(); ++axis) {
    if ((*dims)[axis] != 1 && (*dims)[axis] != result[offset + axis]) return std::nullopt;
  }
  std::shared_ptr<const Elements> elements = ctx.input_contents(operand.input);
  Sizes strides = elements ? broadcast_strides(*dims, result.size(), memory) : Sizes(&memory);
  return Broadcast{std::move(elements), std::move(strides)};
}

/// Moves to the next index in row-major order.
void next_index(std::span<size_t> index, std::span<const size_t> dims) {
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (++index[axis] < dims[axis]) return;
    index[axis] = 0;
  }
}

/// Those of `dims` along which the elements of some operand differ; 1 in place of the others.
Sizes distinct_dims(std::span<const size_t> dims, std::span<const Broadcast> operands,
                    std::pmr::memory_resource& memory) {
  Sizes distinct(dims.begin(), dims.end(), &memory);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const bool same = std::all_of(operands.begin(), operands.end(), [&](const Broadcast& operand) {
      return operand.elements == nullptr || operand.strides[axis] == 0;
    });
    if (same && distinct[axis] > 1) distinct[axis] = 1;
  }
  return distinct;
}

enum class Fold { kSum, kMean, kMax, kMin };

Scalar fold(const ElementMath& math, Fold how, std::span<const Scalar> elements) {
  Scalar result = elements.front();
  for (const Scalar& next : elements.subspan(1)) {
    if (how == Fold::kMax) {
      result = math.larger(result, next);
    } else if (how == Fold::kMin) {
      result = math.smaller(result, next);
    } else {
      result = math.add(result, next);
    }
  }
  if (how != Fold::kMean) return result;
  return math.divide(result, math.number(static_cast<int64_t>(elements.size())));
}

bool check_folded(InferContext& ctx, std::span<const ElemType> types) {
  bool good = true;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    good = ctx.require_elem(i, types, "C1") && good;
    good = ctx.require_same_elem(0, i, "C1") && good;
  }
  return good;
}

/// Sum, Mean, Max, Min from opset 8 on: the inputs broadcast.
///   C1  all inputs have one numeric type     C2  the dims broadcast
template <Fold kHow, const auto& kTypes>
Outcome folded(InferContext& ctx) {
  const size_t count = ctx.input_count();
  const ElemType elem = common_elem(ctx, 0, count);
  ctx.set_tensor(0, elem, broadcast_inputs(ctx, 0, count, "C2"));
  if (!check_folded(ctx, kTypes)) return Outcome::kFailed;
  const ElementMath math(ctx, elem);
  std::vector<Operand> inputs(count);
  for (size_t i = 0; i < count; ++i) inputs[i].input = i;
  map_elements(ctx, inputs,
               [&](std::span<const Scalar> elements) { return fold(math, kHow, elements); });
  return Outcome::kDone;
}

/// The same up to opset 7: the inputs have one shape.
///   C1  all inputs have one numeric type     C2  all inputs have one shape
template <const auto& kTypes>
Outcome folded_same_shape(InferContext& ctx) {
  const size_t count = ctx.input_count();
  std::optional<Shape> shape;
  bool good = check_folded(ctx, kTypes);
  for (size_t i = 0; i < count; ++i) {
    const Shape* next = ctx.shape(i);
    if (next == nullptr) continue;
    if (!shape) {
      shape = *next;
    } else if (shape->size() != next->size()) {
      good = false;
      ctx.report(Code::kInputRank, "C2", "all inputs must have the same rank");
    } else {
      for (size_t axis = 0; axis < shape->size(); ++axis) {
        (*shape)[axis] =
            ctx.require_equal((*shape)[axis], (*next)[axis], "C2", "the dims of the inputs");
      }
    }
  }
  ctx.set_tensor(0, common_elem(ctx, 0, count), std::move(shape));
  return good ? Outcome::kDone : Outcome::kFailed;
}

/// PRelu from opset 7 on. The slope broadcasts to X; ONNX Runtime also lets X broadcast to the
/// slope, so the result is what both broadcast to.
///   C1  one type     C2  the rank of slope is not above that of X     C3  the dims broadcast
Outcome prelu(InferContext& ctx) {
  const ElemType elem = common_elem(ctx, 0, 2);
  ctx.set_tensor(0, elem);
  if (!ctx.require_elem(0, kSlopeTypes, "C1") || !ctx.require_same_elem(0, 1, "C1")) {
    return Outcome::kFailed;
  }
  if (const auto rank = ctx.rank(0); rank && !ctx.require_rank(1, 0, *rank, "C2")) {
    return Outcome::kFailed;
  }
  ctx.set_tensor(0, elem, broadcast_inputs(ctx, 0, 2, "C3"));
  return Outcome::kDone;
}

/// PRelu up to opset 6: the slope has one element or one for each channel of X, and Y X's shape.
///   C1  one type
Outcome prelu_by_channel(InferContext& ctx) {
  const Shape* x = ctx.shape(0);
  ctx.set_tensor(0, common_elem(ctx, 0, 2), x != nullptr ? std::optional(*x) : std::nullopt);
  const bool good = ctx.require_elem(0, kSlopeTypes, "C1") && ctx.require_same_elem(0, 1, "C1");
  return good ? Outcome::kDone : Outcome::kFailed;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Max", 1, folded_same_shape<kNumericTypes>},
    {"Max", 8, folded<Fold::kMax, kNumericTypes>},
    {"Mean", 1, folded_same_shape<kFloatTypes>},
    {"Mean", 8, folded<Fold::kMean, kFloatTypes>},
    {"Min", 1, folded_same_shape<kNumericTypes>},
    {"Min", 8, folded<Fold::kMin, kNumericTypes>},
    {"PRelu", 1, prelu_by_channel},
    {"PRelu", 7, prelu},
    {"Sum", 1, folded_same_shape<kFloatTypes>},
    {"Sum", 8, folded<Fold::kSum, kFloatTypes>},
});

}  // namespace

std::optional<Shape> broadcast_inputs(InferContext& ctx, size_t first, size_t last,
                                      std::string_view label) {
  std::optional<Shape> result;
  for (size_t i = first; i < last; ++i) {
    if (!ctx.has_input(i)) continue;
    const Shape* next = ctx.shape(i);
    if (next == nullptr) return std::nullopt;
    if (result) {
      result = ctx.broadcast_shapes(std::move(*result), *next, label);
    } else {
      result = *next;
    }
  }
  return result;
}

void require_fits(InferContext& ctx, Dim a, Dim b, std::string_view label, std::string_view what) {
  if (!a.known() || !b.known() || a == b || b.is(1)) return;
  if (ctx.prover().provably_not(b, 1)) (void)ctx.require_equal(a, b, label, what);
}

ElemType common_elem(const InferContext& ctx, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    const ElemType elem = ctx.elem(i);
    if (elem != ElemType::kUndefined) return elem;
  }
  return ElemType::kUndefined;
}

void map_elements(InferContext& ctx, std::span<const Operand> operands,
                  const ElementFunction& function) {
  std::array<std::byte, 1024> stack;  // NOLINT(*-member-init): written before it is read
  std::pmr::monotonic_buffer_resource memory(stack.data(), stack.size());
  constexpr size_t kMaxOperands = 64;  // of those that shapes are computed with there are few
  const std::optional<Shape>& shape = ctx.output(0).shape;
  const auto dims = shape ? small_shape(*shape, memory) : std::nullopt;
  if (!dims || operands.empty() || operands.size() > kMaxOperands) return;
  std::pmr::vector<Broadcast> views(&memory);
  views.reserve(operands.size());
  bool any = false;
  for (const Operand& operand : operands) {
    auto view = broadcast_operand(ctx, operand, *dims, memory);
    if (!view) return;
    any = any || view->elements != nullptr;
    views.push_back(std::move(*view));
  }
  if (!any) return;
  const Sizes unlike = distinct_dims(*dims, views, memory);
  Elements distinct(element_count(unlike));
  std::pmr::vector<Scalar> arguments(operands.size(), &memory);
  Sizes index(dims->size(), 0, &memory);
  for (Scalar& element : distinct) {
    for (size_t i = 0; i < views.size(); ++i) arguments[i] = views[i].at(index);
    element = function(arguments);
    next_index(index, unlike);
  }
  if (!any_known(distinct)) return;
  if (unlike == *dims) return ctx.set_elements(0, std::move(distinct));
  const Sizes strides = broadcast_strides(unlike, dims->size(), memory);
  Elements result(element_count(*dims));
  index.assign(dims->size(), 0);
  for (Scalar& element : result) {
    element = distinct[position(index, strides)];
    next_index(index, *dims);
  }
  ctx.set_elements(0, std::move(result));
}

std::optional<std::array<Operand, 2>> legacy_operands(InferContext& ctx) {
  std::array<Operand, 2> both = operands<2>();
  for (const size_t i : {0U, 1U}) both[i].dims = ctx.input(i).shape;
  const auto& a = both[0].dims;
  auto& b = both[1].dims;
  if (!a || !b) return both;
  const bool broadcasts = ctx.attr_int("broadcast", 0) != 0;
  if (b->size() > a->size() || (!broadcasts && b->size() != a->size())) {
    ctx.report(Code::kInputRank, "C1",
               broadcasts ? "B has a higher rank than A"
                          : "A and B have different ranks, and attribute broadcast is not 1");
    return std::nullopt;
  }
  size_t offset = a->size() - b->size();
  if (const auto axis = ctx.attr_int("axis"); broadcasts && axis) {
    const int64_t from = *axis < 0 ? *axis + static_cast<int64_t>(a->size()) : *axis;
    if (from < 0 || from > static_cast<int64_t>(offset)) {
      ctx.report(Code::kAttribute, "C1", "B does not fit in A from attribute axis on");
      return std::nullopt;
    }
    b->resize(b->size() + offset - static_cast<size_t>(from), ctx.lit(1));
    offset = static_cast<size_t>(from);
  }
  for (size_t i = 0; i < b->size(); ++i) {
    constexpr std::string_view kWhat = "the dims of A and B";
    if (broadcasts) {
      require_fits(ctx, (*a)[offset + i], (*b)[i], "C2", kWhat);
    } else {
      (void)ctx.require_equal((*a)[offset + i], (*b)[i], "C2", kWhat);
    }
  }
  return both;
}

std::span<const Family> broadcasting_family() {
  static constexpr std::array kFamilies = {Family{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
