// Gather, GatherElements, GatherND and OneHot: elements chosen by indices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};
constexpr std::array kIndexTypes{ElemType::kInt32, ElemType::kInt64};

/// Reports the first constant index that lies outside of an axis of constant length. The length of
/// another axis is large enough for all constant indices.
bool indices_in_range(InferContext& ctx, size_t input, Dim length, std::string_view label) {
  const auto size = length.number();
  const Elements* indices = length.known() ? ctx.elements(input) : nullptr;
  if (indices == nullptr) return true;
  if (!size) {
    int64_t least = 0;
    for (const Scalar& index : *indices) {
      const int64_t number = index.integer().number().value_or(0);
      if (number == INT64_MAX || number == INT64_MIN) continue;
      least = std::max(least, number < 0 ? -number : number + 1);
    }
    if (least > 0) ctx.at_most(ctx.lit(least), length, label);
    return true;
  }
  for (const Scalar& index : *indices) {
    const auto number = index.integer().number();
    if (number && (*number < -*size || *number >= *size)) {
      ctx.report(Code::kInputValue, label,
                 fmt::format("index {} is outside of an axis of length {}", *number, *size),
                 "an index lies in [-length, length - 1]");
      return false;
    }
  }
  return true;
}

/// The axis attribute as an index; nothing, and a finding, if it is outside of data's axes.
std::optional<size_t> checked_axis(InferContext& ctx, size_t rank, std::string_view label) {
  const int64_t given = ctx.attr_int("axis", 0);
  const auto axis = normalise_axis(given, rank);
  if (!axis) {
    ctx.report(Code::kAttribute, label,
               fmt::format("axis {} is outside of the axes of rank {}", given, rank));
  }
  return axis;
}

/// Each index takes a block of data: what the axes behind `axis` hold.
void gather_elements_of(InferContext& ctx, size_t axis) {
  if (!is_followed(ctx, 0)) return;
  const auto data = contents_of(ctx, 0);
  const auto indices = data ? contents_of(ctx, 1) : std::nullopt;
  if (!indices) return;
  const std::span<const int64_t> dims(data->dims);
  const size_t block = count_of(dims.subspan(axis + 1));
  const size_t step = block * static_cast<size_t>(dims[axis]);
  Elements out;
  out.reserve(count_of(dims.first(axis)) * indices->elements->size() * block);
  for (size_t start = 0; start < data->elements->size(); start += step) {
    for (const Scalar& index : *indices->elements) {
      const auto at = resolved_index(index, dims[axis]);
      const size_t from = start + block * static_cast<size_t>(at.value_or(0));
      for (size_t i = 0; i < block; ++i) {
        out.push_back(at ? (*data->elements)[from + i] : Scalar());
      }
    }
  }
  ctx.set_elements(0, std::move(out));
}

/// Gather: data's dims with those of indices in place of axis.
///   C1  rank of data >= 1    C2  -r <= axis < r    C3  -d <= index < d for axis length d
Outcome gather(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kIndexTypes, "Tind") || !ctx.require_rank(0, 1, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const Shape* data = ctx.shape(0);
  const auto index_rank = ctx.rank(1);
  if (data == nullptr || !index_rank) return Outcome::kDone;
  const auto axis = checked_axis(ctx, data->size(), "C2");
  if (!axis) return Outcome::kFailed;
  const Shape& indices = *ctx.shape(1);
  Shape out;
  out.reserve(data->size() + indices.size());
  out.insert(out.end(), data->begin(), data->begin() + static_cast<ptrdiff_t>(*axis));
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), data->begin() + static_cast<ptrdiff_t>(*axis) + 1, data->end());
  const Dim length = (*data)[*axis];
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  if (!indices_in_range(ctx, 1, length, "C3")) return Outcome::kFailed;
  gather_elements_of(ctx, *axis);
  return Outcome::kDone;
}

/// GatherElements: the dims of indices.
///   C1  rank of data >= 1    C2  indices has data's rank
///   C3  -r <= axis < r       C4  -d <= index < d for axis length d
Outcome gather_elements(InferContext& ctx) {
  std::optional<Shape> out;
  if (const Shape* indices = ctx.shape(1)) out = *indices;
  if (!out && ctx.rank(0)) out = shape_of_rank(*ctx.rank(0));
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  if (!ctx.require_elem(1, kIndexTypes, "Tind") || !ctx.require_rank(0, 1, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const auto rank = ctx.rank(0);
  if (!rank) return Outcome::kDone;
  if (!ctx.require_rank(1, *rank, "C2")) return Outcome::kFailed;
  const auto axis = checked_axis(ctx, *rank, "C3");
  if (!axis || !indices_in_range(ctx, 1, (*ctx.shape(0))[*axis], "C4")) return Outcome::kFailed;
  const auto data = contents_of(ctx, 0);
  const auto indices = data ? contents_of(ctx, 1) : std::nullopt;
  if (!indices) return Outcome::kDone;
  Index source;
  set_each(ctx, 0, [&](const Index& index) {
    source = index;
    const auto at = resolved_index(indices->at(index), data->dims[*axis]);
    if (!at) return Scalar();
    source[*axis] = *at;
    for (size_t i = 0; i < source.size(); ++i) {
      if (source[i] >= data->dims[i]) return Scalar();
    }
    return data->at(source);
  });
  return Outcome::kDone;
}

void gather_nd_elements(InferContext& ctx, size_t batch, size_t depth) {
  if (!is_followed(ctx, 0)) return;
  const auto data = contents_of(ctx, 0);
  const auto indices = data ? contents_of(ctx, 1) : std::nullopt;
  if (!indices) return;
  const size_t prefix = indices->dims.size() - 1;
  Index source(data->dims.size());
  Index place(prefix + 1);
  set_each(ctx, 0, [&](const Index& index) {
    std::copy_n(index.begin(), prefix, place.begin());
    std::copy_n(index.begin(), batch, source.begin());
    for (size_t i = 0; i < depth; ++i) {
      place[prefix] = static_cast<int64_t>(i);
      const auto at = resolved_index(indices->at(place), data->dims[batch + i]);
      if (!at) return Scalar();
      source[batch + i] = *at;
    }
    std::copy(index.begin() + static_cast<ptrdiff_t>(prefix), index.end(),
              source.begin() + static_cast<ptrdiff_t>(batch + depth));
    return data->at(source);
  });
}

/// GatherND: indices.dims[:-1] + data.dims[b + k:], where b is batch_dims and k the last dim of
/// indices.
///   C1  ranks >= 1            C2  0 <= b < both ranks    C3  b + k <= rank of data
///   C4  the first b dims of both are equal
Outcome gather_nd(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(0));
  if (!ctx.require_elem(1, kInt64, "T") || !ctx.require_rank(0, 1, SIZE_MAX, "C1") ||
      !ctx.require_rank(1, 1, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const int64_t given = ctx.attr_int("batch_dims", 0);
  const auto rank = ctx.rank(0);
  const auto index_rank = ctx.rank(1);
  if (given < 0 || (rank && given >= static_cast<int64_t>(*rank)) ||
      (index_rank && given >= static_cast<int64_t>(*index_rank))) {
    return ctx.fail(Code::kAttribute, "C2",
                    fmt::format("batch_dims is {}; it must be below both ranks", given));
  }
  const auto batch = static_cast<size_t>(given);
  if (!rank || !index_rank) return Outcome::kDone;
  const Shape data = *ctx.shape(0);
  const Shape indices = *ctx.shape(1);
  const auto depth = indices.back().number();
  if (!depth) return Outcome::kDone;
  if (*depth > static_cast<int64_t>(data.size() - batch)) {
    return ctx.fail(Code::kInputDim, "C3",
                    fmt::format("the last dim of indices, {}, is more than the {} axes of data it "
                                "indexes",
                                *depth, data.size() - batch));
  }
  Shape out(indices.begin(), indices.end() - 1);
  for (size_t i = 0; i < batch; ++i) {
    out[i] = ctx.require_equal(data[i], indices[i], "C4", "the batch dims of data and indices");
  }
  out.insert(out.end(), data.begin() + given + *depth, data.end());
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  gather_nd_elements(ctx, batch, static_cast<size_t>(*depth));
  return Outcome::kDone;
}

/// The number of classes; unknown if it depends on data.
Dim depth_of(InferContext& ctx) {
  const Dim integer = ctx.scalar_integer(1);
  if (integer.known()) return integer;
  const auto numbers = ctx.constant_numbers(1);
  if (!numbers || numbers->size() != 1 || std::abs(numbers->front()) > 1e15) return {};
  return ctx.lit(static_cast<int64_t>(numbers->front()));
}

void one_hot_elements(InferContext& ctx, size_t axis) {
  const auto dims = followed_dims(ctx, 0);
  if (!dims) return;
  const auto indices = contents_of(ctx, 0);
  const auto values = indices ? contents_of(ctx, 2) : std::nullopt;
  if (!values || values->elements->size() != 2) return;
  const int64_t depth = (*dims)[axis];
  Index source;
  set_each(ctx, 0, [&](const Index& index) {
    source = index;
    source.erase(source.begin() + static_cast<ptrdiff_t>(axis));
    const Scalar& chosen = indices->at(source);
    if (!chosen.integer().number()) return Scalar();
    // An index outside of [-depth, depth) chooses no class.
    return (*values->elements)[resolved_index(chosen, depth) == index[axis] ? 1 : 0];
  });
}

/// OneHot: the dims of indices with depth inserted at axis.
///   C1  -r - 1 <= axis <= r for rank r of indices    C2  depth is a scalar or has one element
///   C3  depth is not negative                        C4  values is [off, on]
Outcome one_hot(InferContext& ctx) {
  ctx.set_tensor(0, ctx.elem(2));
  if (!ctx.require_rank(1, 0, 1, "C2") || !ctx.require_rank(2, 1, "C4")) return Outcome::kFailed;
  if (ctx.rank(1) == 1) {
    ctx.require_equal((*ctx.shape(1))[0], ctx.lit(1), "C2", "the length of depth and 1");
  }
  if (ctx.rank(2)) {
    ctx.require_equal((*ctx.shape(2))[0], ctx.lit(2), "C4", "the length of values and 2");
  }
  const Dim depth = depth_of(ctx);
  if (const auto number = depth.number(); number && *number < 0) {
    return ctx.fail(Code::kInputValue, "C3", fmt::format("depth is {}", *number));
  }
  ctx.at_most(ctx.lit(0), depth, "C3");
  if (!ctx.rank(0)) return Outcome::kDone;
  Shape out = *ctx.shape(0);
  const auto axis = normalise_axis(ctx.attr_int("axis", -1), out.size() + 1);
  if (!axis) {
    return ctx.fail(
        Code::kAttribute, "C1",
        fmt::format("axis {} for indices of rank {}", ctx.attr_int("axis", -1), out.size()));
  }
  out.insert(out.begin() + static_cast<ptrdiff_t>(*axis), depth);
  ctx.set_tensor(0, ctx.elem(2), std::move(out));
  one_hot_elements(ctx, *axis);
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Gather", 1, gather},
    {"GatherElements", 11, gather_elements},
    {"GatherND", 11, gather_nd},
    {"OneHot", 9, one_hot},
});

}  // namespace

std::span<const Family> indexing_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
