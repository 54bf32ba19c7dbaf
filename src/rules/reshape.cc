// Reshape, Flatten, Squeeze and Unsqueeze: the elements stay in order, the dims change.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "facts/narrowing.h"
#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};

/// Made of sizes, not of numbers that a run could choose as it likes: then a negative result is an
/// error of that run and not one of Reshape's special numbers.
bool made_of_sizes(const InferContext& ctx, Dim dim) {
  bool sizes = true;
  for_each_symbol(dim, [&](SymbolId id) { sizes = sizes && ctx.pool().symbol_range(id).lo >= 0; });
  return sizes;
}

/// Whether the number is at least 1 wherever each of its symbols is.
bool positive_if_symbols_are(const InferContext& ctx, Dim dim) {
  Narrowing narrowing;
  for_each_symbol(dim, [&](SymbolId id) {
    narrowing.set(id, intersect(ctx.pool().symbol_range(id), Interval::at_least(1)));
  });
  return narrowing.of(*dim.expr()).lo >= 1;
}

/// Which target elements that are no constants can be taken as sizes. A 0 that turns up in a run
/// copies the dim of data at its place, so that the result is another one than the element says
/// (not with allowzero). That is left out of account where it takes a size that is 0 itself, an
/// empty axis of an input, say, or makes data empty, or lets the run fail. But `H//2` is 0 for an H
/// of 1.
class Sizes {
 public:
  Sizes(InferContext& ctx, const Shape* data, const Shape& target, bool has_rest, bool allow_zero)
      : ctx_(ctx), data_(data), target_(target), has_rest_(has_rest), allow_zero_(allow_zero) {
    if (data_ != nullptr) count_ = element_count(ctx.pool(), *data_);
  }

  [[nodiscard]] std::vector<bool> find() {
    std::vector<bool> sizes(target_.size());
    std::vector<size_t> doubtful;  // a size but where it is 0
    for (size_t i = 0; i < target_.size(); ++i) {
      const Dim want = target_[i];
      if (!want.known()) continue;
      if (want.number()) {
        sizes[i] = true;
        continue;
      }
      // Where a -1 stands elsewhere, no other element of a run that completes is negative.
      const bool at_least_0 =
          made_of_sizes(ctx_, want) && (has_rest_ || ctx_.prover().provably_at_least(want, 0));
      sizes[i] = (at_least_0 && is_0_with_a_size(want)) || ctx_.prover().provably_at_least(want, 1);
      if (sizes[i] || !at_least_0) continue;
      sizes[i] = empty_when_0(want);
      if (!sizes[i]) doubtful.push_back(i);
    }
    if (fail_when_0(doubtful)) {
      for (const size_t i : doubtful) sizes[i] = true;
    }
    return sizes;
  }

 private:
  /// Whether a 0 is a 0, or that of a size, of an input's or of one of data.
  [[nodiscard]] bool is_0_with_a_size(Dim dim) const {
    return allow_zero_ || positive_if_symbols_are(ctx_, dim) ||
           (count_.known() && exact_quotient(count_, dim).known());
  }

  /// Whether data has no elements in any run in which the dim is 0.
  [[nodiscard]] bool empty_when_0(Dim dim) {
    const std::pair is_0{dim, ctx_.lit(0)};
    return count_.known() && !ctx_.may_hold({&is_0, 1}, {&count_, 1});
  }

  /// Whether no run completes with a tensor that is not empty in which some of the elements are 0:
  /// with the dims of data in their place the count is another one.
  [[nodiscard]] bool fail_when_0(const std::vector<size_t>& elements) {
    constexpr size_t kMaxElements = 3;
    if (has_rest_ || !count_.known() || elements.size() > kMaxElements) return false;
    for (size_t zeros = 1; zeros < size_t{1} << elements.size(); ++zeros) {
      Shape dims = target_;
      std::vector<std::pair<Dim, Dim>> equal;
      std::vector<Dim> positive{count_};
      bool copies = true;
      for (size_t i = 0; i < target_.size(); ++i) {
        const auto place = std::find(elements.begin(), elements.end(), i);
        const bool zero = place != elements.end() &&
                          (zeros >> static_cast<size_t>(place - elements.begin()) & 1U) != 0;
        if (!zero && place != elements.end()) positive.push_back(target_[i]);
        if (!zero && !target_[i].is(0)) continue;
        copies = copies && i < data_->size();
        if (copies) dims[i] = (*data_)[i];
        if (zero) equal.emplace_back(target_[i], ctx_.lit(0));
      }
      if (!copies) continue;
      equal.emplace_back(element_count(ctx_.pool(), dims), count_);
      if (ctx_.may_hold(equal, positive)) return false;
    }
    return true;
  }

  InferContext& ctx_;
  const Shape* data_;
  const Shape& target_;
  bool has_rest_;
  bool allow_zero_;
  Dim count_;
};

/// The product of `all` over the product of `parts`: what both have in common and is at least 1
/// cancels first, which keeps the products small.
struct Ratio {
  Dim numerator, denominator;
};
template <class IsPositive>
Ratio cancelled(Pool& pool, Shape all, const Shape& parts, const IsPositive& is_positive) {
  Shape rest;
  rest.reserve(parts.size());
  for (const Dim part : parts) {
    const auto found = std::find(all.begin(), all.end(), part);
    if (part.known() && found != all.end() && is_positive(part)) {
      all.erase(found);
    } else {
      rest.push_back(part);
    }
  }
  return {element_count(pool, all), element_count(pool, rest)};
}

auto positive_in(InferContext& ctx) {
  return [&ctx](Dim dim) { return ctx.prover().provably_at_least(dim, 1); };
}

/// With more unknown dims than that, their product says too little to be worth its size.
constexpr int kMaxNamed = 8;

constexpr std::string_view kCounts = "the element counts of data and its new shape";

/// Works out the one unknown dim of `out` from the element count. `rest`: it stands for a -1, so
/// the run fails unless the product of the others is at least 1.
Outcome solve_from_count(InferContext& ctx, const Shape& data, Shape& out, size_t unknown,
                         bool rest) {
  Shape others = out;
  others.erase(others.begin() + static_cast<ptrdiff_t>(unknown));
  const Dim product = element_count(ctx.pool(), others);
  if (rest && product.is(0)) {
    return ctx.fail(Code::kInputValue, "C7",
                    "a -1 in the new shape cannot be worked out where another dim is 0");
  }
  if (!rest && !ctx.prover().provably_at_least(product, 1)) {
    out[unknown] = ctx.fresh(fmt::format("d{}", unknown));
    const Ratio counts = cancelled(ctx.pool(), data, others, positive_in(ctx));
    ctx.require_equal(counts.numerator, counts.denominator * out[unknown], "C6", kCounts);
    return Outcome::kDone;
  }
  // A run needs the others to be at least 1.
  const Ratio ratio = cancelled(ctx.pool(), data, others, [](Dim) { return true; });
  out[unknown] = floor_div(ratio.numerator, ratio.denominator);
  ctx.require_equal(ratio.numerator, out[unknown] * ratio.denominator, "C6", kCounts);
  return Outcome::kDone;
}

/// The dims that `target` asks for; unknown where that is not sure. `rest`: the place of the -1.
Outcome read_target(InferContext& ctx, const Shape& target, bool allow_zero, Shape& out,
                    std::optional<size_t>& rest) {
  const Shape* data = ctx.shape(0);
  out.reserve(target.size());
  bool has_zero = false;
  for (size_t i = 0; i < target.size(); ++i) {
    const auto number = target[i].number();
    if (number && *number < -1) {
      return ctx.fail(Code::kInputValue, "C2",
                      fmt::format("element {} of the new shape is {}", i, *number),
                      "an element is a size, 0 (copy) or -1 (work out)");
    }
    if (number == -1 && rest) {
      return ctx.fail(Code::kInputValue, "C3",
                      fmt::format("elements {} and {} of the new shape are both -1", *rest, i));
    }
    if (number == -1) rest = i;
    has_zero = has_zero || number == 0;
  }
  if (allow_zero && has_zero && rest) {
    return ctx.fail(Code::kInputValue, "C5",
                    "with allowzero the new shape must not hold both 0 and -1");
  }
  const std::vector<bool> sizes = Sizes(ctx, data, target, rest.has_value(), allow_zero).find();
  for (size_t i = 0; i < target.size(); ++i) {
    const auto number = target[i].number();
    if (number == -1) {
      out.emplace_back();
    } else if (number == 0 && !allow_zero) {
      if (data != nullptr && i >= data->size()) {
        return ctx.fail(
            Code::kInputValue, "C4",
            fmt::format("element {} of the new shape is 0, but data has rank {}", i, data->size()),
            "a 0 copies the dim of data at its place");
      }
      out.push_back(data != nullptr ? (*data)[i] : Dim());
    } else {
      out.push_back(sizes[i] ? target[i] : Dim());
    }
  }
  return Outcome::kDone;
}

/// Records that no dim but the one that a -1 stands for is 0.
void require_others_not_0(InferContext& ctx, const Shape& out, size_t rest) {
  for (size_t i = 0; i < out.size(); ++i) {
    if (i == rest || !out[i].known() || out[i].number()) continue;
    ctx.at_most(ctx.lit(1), out[i], "C7");
  }
}

/// Reshape: the same elements under new dims.
///   C1  shape is 1-D             C2  no element is below -1     C3  at most one is -1
///   C4  a 0 has a dim to copy    C5  with allowzero, not both 0 and -1
///   C6  the element count stays, so a -1 stands for count(data) / product(the other dims)
///   C7  which is a number only if none of the others is 0
Outcome reshape_to(InferContext& ctx, const Shape& target, bool allow_zero) {
  Shape out;
  std::optional<size_t> rest;
  if (read_target(ctx, target, allow_zero, out, rest) == Outcome::kFailed) {
    return Outcome::kFailed;
  }
  if (rest) require_others_not_0(ctx, out, *rest);
  const auto unknown = std::count_if(out.begin(), out.end(), [](Dim d) { return !d.known(); });
  Outcome outcome = Outcome::kDone;
  if (const Shape* shape = ctx.shape(0)) {
    const Shape data = *shape;
    if (unknown == 1) {
      const auto place = std::find_if(out.begin(), out.end(), [](Dim d) { return !d.known(); });
      const auto axis = static_cast<size_t>(place - out.begin());
      outcome = solve_from_count(ctx, data, out, axis, rest == axis);
    } else if (unknown <= kMaxNamed) {
      for (size_t i = 0; i < out.size(); ++i) {
        if (!out[i].known()) out[i] = ctx.fresh(fmt::format("d{}", i));
      }
      const Ratio counts = cancelled(ctx.pool(), data, out, positive_in(ctx));
      ctx.require_equal(counts.numerator, counts.denominator, "C6", kCounts);
    }
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  copy_elements(ctx, 0, 0);
  return outcome;
}

Outcome reshape_attribute(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  const auto target = ctx.attr_ints("shape");
  return target ? reshape_to(ctx, ctx.lits(*target), false) : Outcome::kDone;
}

Outcome reshape_with(InferContext& ctx, bool allow_zero) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kInt64, "T") || !ctx.require_rank(1, 1, "C1")) return Outcome::kFailed;
  std::optional<Shape> target = ctx.integers(1);
  if (!target && ctx.rank(1)) target = shape_of_rank((*ctx.shape(1))[0]);
  return target ? reshape_to(ctx, *target, allow_zero) : Outcome::kDone;
}

Outcome reshape_input(InferContext& ctx) { return reshape_with(ctx, false); }
Outcome reshape_allowzero(InferContext& ctx) {
  return reshape_with(ctx, ctx.attr_int("allowzero", 0) != 0);
}

/// Flatten: [d0 * .. * d(axis-1), d(axis) * .. * d(r-1)]; the empty product is 1.
///   C1  -r <= axis <= r
Outcome flatten(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0), shape_of_rank(size_t{2}));
  const Shape* data = ctx.shape(0);
  if (data == nullptr) return Outcome::kDone;
  const auto rank = static_cast<int64_t>(data->size());
  int64_t axis = ctx.attr_int("axis", 1);
  if (axis < -rank || axis > rank) {
    return ctx.fail(Code::kAttribute, "C1",
                    fmt::format("axis {} is outside of [-{}, {}]", axis, rank, rank));
  }
  if (axis < 0) axis += rank;
  const std::span<const Dim> dims(*data);
  ctx.set_tensor(0, ctx.elem(0),
                 Shape{element_count(ctx.pool(), dims.first(static_cast<size_t>(axis))),
                       element_count(ctx.pool(), dims.subspan(static_cast<size_t>(axis)))});
  copy_elements(ctx, 0, 0);
  return Outcome::kDone;
}

Shape without_axis(const Shape& shape, size_t axis) {
  Shape rest = shape;
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(axis));
  return rest;
}

/// The result of dropping every 1; nothing if it is not sure which dims are 1.
std::optional<Shape> without_ones(InferContext& ctx, const Shape& data) {
  Shape out;
  for (const Dim dim : data) {
    if (dim.is(1)) continue;
    if (!dim.known() || !ctx.prover().provably_not(dim, 1)) return std::nullopt;
    out.push_back(dim);
  }
  return out;
}

/// The result of dropping one axis that is not known: what all possible choices have in common.
std::optional<Shape> without_some_axis(InferContext& ctx, const Shape& data) {
  std::optional<Shape> common;
  for (size_t axis = 0; axis < data.size(); ++axis) {
    if (data[axis].known() && ctx.prover().provably_not(data[axis], 1)) continue;
    const Shape candidate = without_axis(data, axis);
    if (!common) {
      common = candidate;
      continue;
    }
    for (size_t i = 0; i < candidate.size(); ++i) {
      if ((*common)[i] != candidate[i]) (*common)[i] = Dim();
    }
  }
  return common;
}

/// Squeeze: without the named axes; without all dims of 1 if none are named.
///   C1  -r <= axis < r    C2  each dropped dim is 1
/// An axis may be named twice (ONNX Runtime), so only a single unknown axis tells the rank. An
/// empty list drops every 1 in ONNX Runtime and nothing in numpy: known where both agree.
Outcome squeeze_axes(InferContext& ctx, const Axes& axes) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* shape = ctx.shape(0);
  if (shape == nullptr) return Outcome::kDone;
  const Shape data = *shape;
  std::optional<Shape> out;
  if (!axes.given || axes.count.is(0)) {
    out = without_ones(ctx, data);
    if (axes.given && out && out->size() != data.size()) out.reset();
  } else if (axes.numbers) {
    const auto dropped = normalise_axes(ctx, *axes.numbers, data.size(), "C1", "");
    if (!dropped) return Outcome::kFailed;
    std::vector<bool> drop(data.size());
    for (const size_t axis : *dropped) {
      drop[axis] = true;
      if (data[axis].is(1)) continue;
      ctx.require_equal(data[axis], ctx.lit(1), "C2", fmt::format("dim {} of data and 1", axis));
    }
    out.emplace();
    for (size_t i = 0; i < data.size(); ++i) {
      if (!drop[i]) out->push_back(data[i]);
    }
  } else if (axes.count.is(1)) {
    out = without_some_axis(ctx, data);
    if (!out) return ctx.fail(Code::kInputDim, "C2", "no dim of data is 1");
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  copy_elements(ctx, 0, 0);
  return Outcome::kDone;
}

Outcome squeeze_attribute(InferContext& ctx) { return squeeze_axes(ctx, axes_attribute(ctx)); }
Outcome squeeze_input(InferContext& ctx) {
  if (!ctx.require_elem(1, kInt64, "axes")) {
    ctx.set_tensor(0, ctx.elem(0));
    return Outcome::kFailed;
  }
  return squeeze_axes(ctx, axes_input(ctx, 1));
}

/// Unsqueeze: a 1 at each of the named axes of the result.
///   C1  -(r + n) <= axis < r + n for n axes    C2  the axes are distinct
Outcome unsqueeze_axes(InferContext& ctx, const Axes& axes) {
  ctx.set_tensor(0, ctx.elem(0));
  const Shape* data = ctx.shape(0);
  if (data == nullptr || !axes.count.known()) return Outcome::kDone;
  const auto rank = static_cast<int64_t>(data->size());
  std::optional<Shape> out = shape_of_rank(axes.count + rank);
  if (!out) return Outcome::kDone;
  if (axes.numbers) {
    const auto added = normalise_axes(ctx, *axes.numbers, out->size(), "C1", "C2");
    if (!added) {
      ctx.set_tensor(0, ctx.elem(0), std::move(out));
      return Outcome::kFailed;
    }
    for (const size_t axis : *added) (*out)[axis] = ctx.lit(1);
    size_t next = 0;
    for (Dim& dim : *out) {
      if (!dim.known()) dim = (*data)[next++];
    }
  } else if (std::all_of(data->begin(), data->end(), [](Dim dim) { return dim.is(1); })) {
    out->assign(out->size(), ctx.lit(1));
  }
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  copy_elements(ctx, 0, 0);
  return Outcome::kDone;
}

Outcome unsqueeze_attribute(InferContext& ctx) { return unsqueeze_axes(ctx, axes_attribute(ctx)); }
Outcome unsqueeze_input(InferContext& ctx) {
  if (!ctx.require_elem(1, kInt64, "axes")) {
    ctx.set_tensor(0, ctx.elem(0));
    return Outcome::kFailed;
  }
  return unsqueeze_axes(ctx, axes_input(ctx, 1));
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Reshape", 1, reshape_attribute},
    {"Reshape", 5, reshape_input},
    {"Reshape", 14, reshape_allowzero},
    {"Flatten", 1, flatten},
    {"Squeeze", 1, squeeze_attribute},
    {"Squeeze", 13, squeeze_input},
    {"Unsqueeze", 1, unsqueeze_attribute},
    {"Unsqueeze", 13, unsqueeze_input},
});

}  // namespace

std::span<const Family> reshape_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
