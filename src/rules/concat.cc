// Concat and Split.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};

/// The rank that the inputs share; nothing if none is known, `failed` if they differ.
std::optional<size_t> common_rank(InferContext& ctx, bool& failed) {
  std::optional<size_t> common;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    const std::optional<size_t> rank = ctx.rank(i);
    if (!rank) continue;
    if (common && *common != *rank) {
      ctx.report(Code::kInputRank, "C2",
                 fmt::format("inputs of rank {} and {} cannot be concatenated", *common, *rank));
      failed = true;
      return std::nullopt;
    }
    common = rank;
  }
  return common;
}

/// The elements of the inputs, whose dims are all known, one input after the other along `axis`.
void concat_elements(InferContext& ctx, size_t axis) {
  const auto dims = followed_dims(ctx, 0);
  if (!dims) return;
  const size_t before = count_of(std::span(*dims).first(axis));
  const size_t behind = count_of(std::span(*dims).subspan(axis + 1));
  struct Part {
    std::shared_ptr<const Elements> elements;  // null: nothing is known of them
    size_t block;                              // for each index into the axes before `axis`
  };
  std::vector<Part> parts;
  parts.reserve(ctx.input_count());
  bool any = false;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    std::shared_ptr<const Elements> elements = known_elements(ctx, i);
    const Shape* shape = ctx.shape(i);
    const auto length = shape != nullptr ? (*shape)[axis].number() : std::nullopt;
    if (!length) return;
    const size_t block = static_cast<size_t>(*length) * behind;
    // Of inputs that do not fit, which is reported, not all have the dims of the result.
    if (elements && elements->size() != before * block) return;
    any = any || elements != nullptr;
    parts.push_back({std::move(elements), block});
  }
  if (!any) return;
  Elements out;
  out.reserve(count_of(*dims));
  for (size_t n = 0; n < before; ++n) {
    for (const auto& [elements, block] : parts) {
      for (size_t i = 0; i < block; ++i) {
        out.push_back(elements ? (*elements)[n * block + i] : Scalar());
      }
    }
  }
  ctx.set_elements(0, std::move(out));
}

/// Concat: the lengths along `axis` add up.
///   C1  -r <= axis < r    C2  the inputs have the same rank
///   C3  their dims are equal except along axis    C4  they have the same type
Outcome concat_along(InferContext& ctx, std::optional<int64_t> given_axis) {
  ElemType elem = ElemType::kUndefined;
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    if (elem == ElemType::kUndefined) elem = ctx.elem(i);
    if (i > 0 && !ctx.require_same_elem(0, i, "C4")) return Outcome::kFailed;
  }
  ctx.set_tensor(0, elem);
  if (!given_axis) return ctx.fail(Code::kAttribute, "C1", "the attribute axis is missing");
  bool failed = false;
  const std::optional<size_t> rank = common_rank(ctx, failed);
  if (failed) return Outcome::kFailed;
  if (!rank) return Outcome::kDone;
  const auto axis = normalise_axis(*given_axis, *rank);
  if (!axis) {
    return ctx.fail(Code::kAttribute, "C1",
                    fmt::format("axis {} is outside of the axes of rank {}", *given_axis, *rank));
  }
  Shape out(*rank);
  Dim length = ctx.lit(0);
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    if (!ctx.rank(i)) {
      length = Dim();
      continue;
    }
    const Shape& dims = *ctx.shape(i);
    for (size_t d = 0; d < *rank; ++d) {
      if (d == *axis || out[d] == dims[d]) continue;
      out[d] = out[d].known() ? ctx.require_equal(out[d], dims[d], "C3",
                                                  fmt::format("the inputs' dims at axis {}", d))
                              : dims[d];
    }
    length = length + dims[*axis];
  }
  out[*axis] = length;
  ctx.set_tensor(0, elem, std::move(out));
  concat_elements(ctx, *axis);
  return Outcome::kDone;
}

Outcome concat_1(InferContext& ctx) { return concat_along(ctx, ctx.attr_int("axis", 1)); }
Outcome concat_4(InferContext& ctx) { return concat_along(ctx, ctx.attr_int("axis")); }

/// The elements of each output, whose lengths along `axis` are all known.
void split_elements(InferContext& ctx, size_t axis) {
  const auto contents = contents_of(ctx, 0);
  if (!contents) return;
  int64_t start = 0;
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    const Fact& part = ctx.output(i);
    const auto length = part.shape ? (*part.shape)[axis].number() : std::nullopt;
    if (!length || *length < 0 || *length > contents->dims[axis] - start) return;
    Index source;
    set_each(ctx, i, [&](const Index& index) {
      source = index;
      source[axis] += start;
      return contents->at(source);
    });
    start += *length;
  }
}

/// Sets the outputs to the dims of the input with the given lengths along `axis`.
void set_parts(InferContext& ctx, size_t axis, const Shape& lengths) {
  const Shape dims = *ctx.shape(0);
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    Shape part = dims;
    part[axis] = i < lengths.size() ? lengths[i] : Dim();
    ctx.set_tensor(i, ctx.elem(0), std::move(part));
  }
  split_elements(ctx, axis);
}

/// The axis of a Split, with the outputs' type set; nothing if it cannot go on. `failed` says why.
std::optional<size_t> split_axis(InferContext& ctx, bool& failed) {
  for (size_t i = 0; i < ctx.output_count(); ++i) ctx.set_tensor(i, ctx.elem(0));
  const std::optional<size_t> rank = ctx.rank(0);
  if (!rank || ctx.output_count() == 0) return std::nullopt;
  const int64_t given = ctx.attr_int("axis", 0);
  const auto axis = normalise_axis(given, *rank);
  if (!axis) {
    failed = true;
    ctx.report(Code::kAttribute, "C1",
               fmt::format("axis {} is outside of the axes of rank {}", given, *rank));
  }
  return axis;
}

/// Split by given lengths.
///   C1  -r <= axis < r    C2  one length an output
///   C3  no length is negative    C4  the lengths add up to the dim
Outcome split_by(InferContext& ctx, size_t axis, const Shape& lengths) {
  const Dim whole = (*ctx.shape(0))[axis];
  if (lengths.size() != ctx.output_count()) {
    return ctx.fail(Code::kInputValue, "C2",
                    fmt::format("{} lengths for {} outputs", lengths.size(), ctx.output_count()));
  }
  Dim sum = ctx.lit(0);
  for (const Dim length : lengths) {
    if (const auto number = length.number(); number && *number < 0) {
      return ctx.fail(Code::kInputValue, "C3", fmt::format("a length is {}", *number));
    }
    ctx.at_most(ctx.lit(0), length, "C3");
    sum = sum + length;
  }
  ctx.require_equal(sum, whole, "C4", "the sum of the lengths and the dim that is split");
  set_parts(ctx, axis, lengths);
  return Outcome::kDone;
}

/// Lengths that depend on data: each has a name, and they add up.
Outcome split_unknown(InferContext& ctx, size_t axis) {
  const Dim whole = (*ctx.shape(0))[axis];
  Shape lengths;
  Dim sum = ctx.lit(0);
  for (size_t i = 0; i < ctx.output_count(); ++i) {
    if (!ctx.has_output(i)) {
      sum = Dim();
      lengths.emplace_back();
      continue;
    }
    const Dim length = ctx.fresh("length", i);
    lengths.push_back(length);
    sum = sum + length;
    ctx.at_most(length, whole, "C4");
  }
  ctx.require_equal(sum, whole, "C4", "the sum of the lengths and the dim that is split");
  set_parts(ctx, axis, lengths);
  return Outcome::kDone;
}

/// Equal parts, which the dim must allow (C5).
Outcome split_evenly(InferContext& ctx, size_t axis) {
  const auto parts = static_cast<int64_t>(ctx.output_count());
  const Dim whole = (*ctx.shape(0))[axis];
  const Dim length = floor_div(whole, parts);
  ctx.require_equal(whole, length * parts, "C5",
                    fmt::format("the dim that is split and a multiple of {}", parts));
  set_parts(ctx, axis, Shape(ctx.output_count(), length));
  return Outcome::kDone;
}

Outcome split_attribute(InferContext& ctx) {
  bool failed = false;
  const auto axis = split_axis(ctx, failed);
  if (!axis) return failed ? Outcome::kFailed : Outcome::kDone;
  // Split-1 has the lengths as an optional input too, in the input's own (float) type.
  if (ctx.has_input(1)) {
    if (const auto lengths = ctx.integers(1)) return split_by(ctx, *axis, *lengths);
    return split_unknown(ctx, *axis);
  }
  if (const auto lengths = ctx.attr_ints("split")) return split_by(ctx, *axis, ctx.lits(*lengths));
  return split_evenly(ctx, *axis);
}

/// The lengths from input 1, where there is one.
std::optional<Outcome> split_by_input(InferContext& ctx, size_t axis) {
  if (!ctx.has_input(1)) return std::nullopt;
  if (!ctx.require_elem(1, kInt64, "T")) return Outcome::kFailed;
  if (const auto lengths = ctx.integers(1)) return split_by(ctx, axis, *lengths);
  return split_unknown(ctx, axis);
}

Outcome split_13(InferContext& ctx) {
  bool failed = false;
  const auto axis = split_axis(ctx, failed);
  if (!axis) return failed ? Outcome::kFailed : Outcome::kDone;
  const auto done = split_by_input(ctx, *axis);
  return done ? *done : split_evenly(ctx, *axis);
}

/// Split-18 without lengths: n parts of ceil(d / n), the last of what is left.
///   C6  num_outputs is the number of outputs    C7  what is left is not negative
Outcome split_18(InferContext& ctx) {
  bool failed = false;
  const auto axis = split_axis(ctx, failed);
  if (!axis) return failed ? Outcome::kFailed : Outcome::kDone;
  if (const auto done = split_by_input(ctx, *axis)) return *done;
  const auto count = static_cast<int64_t>(ctx.output_count());
  const int64_t parts = ctx.attr_int("num_outputs", count);
  if (parts != count) {
    return ctx.fail(Code::kAttribute, "C6",
                    fmt::format("num_outputs is {}, but there are {} outputs", parts, count));
  }
  const Dim whole = (*ctx.shape(0))[*axis];
  const Dim length = ceil_div(whole, parts);
  const Dim last = parts == 2 ? floor_div(whole, 2) : whole - length * (parts - 1);
  if (last.bounds().hi < 0) {
    return ctx.fail(Code::kInputDim, "C7",
                    fmt::format("a dim this small cannot be split into {} parts", parts));
  }
  ctx.at_most(ctx.lit(0), last, "C7");
  Shape lengths(ctx.output_count(), length);
  lengths.back() = last;
  set_parts(ctx, *axis, lengths);
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Concat", 1, concat_1},
    {"Concat", 4, concat_4},
    {"Split", 1, split_attribute},
    {"Split", 13, split_13},
    {"Split", 18, split_18},
});

}  // namespace

std::span<const Family> concat_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
