// Scatter, ScatterElements and ScatterND: data with some of its elements replaced.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "rules/contents.h"
#include "rules/rules.h"

namespace onnx_shapes {
namespace {

constexpr std::array kInt64{ElemType::kInt64};
constexpr std::array kIndexTypes{ElemType::kInt32, ElemType::kInt64};

enum class Reduction : uint8_t { kNone, kAdd, kMul, kMax, kMin };

/// The reduction attribute; nothing, and a finding, if it has no such value.
std::optional<Reduction> reduction_of(InferContext& ctx, std::string_view label) {
  const std::string_view name = ctx.attr_string("reduction", "none");
  if (name == "none") return Reduction::kNone;
  if (name == "add") return Reduction::kAdd;
  if (name == "mul") return Reduction::kMul;
  if (name == "max") return Reduction::kMax;
  if (name == "min") return Reduction::kMin;
  ctx.report(Code::kAttribute, label, fmt::format("reduction is '{}'", name),
             "it is none, add, mul, max or min");
  return std::nullopt;
}

/// The elements of data with updates put in. An element that is written twice without a reduction
/// has no defined value.
class Updated {
 public:
  Updated(const Contents& data, Reduction reduction)
      : elements_(*data.elements), written_(elements_.size()), reduction_(reduction) {}

  void put(size_t position, const Scalar& update) {
    Scalar& element = elements_[position];
    if (reduction_ == Reduction::kNone) {
      element = written_[position] && element != update ? Scalar() : update;
      written_[position] = true;
      return;
    }
    const Dim a = element.integer();
    const Dim b = update.integer();
    element = {.numerator = combined(a, b), .denominator = 1};
  }
  [[nodiscard]] Elements take() { return std::move(elements_); }

 private:
  [[nodiscard]] Dim combined(Dim a, Dim b) const {
    if (!a.known() || !b.known()) return {};
    switch (reduction_) {
      case Reduction::kAdd:
        return a + b;
      case Reduction::kMul:
        return a * b;
      case Reduction::kMax:
        return max(a, b);
      case Reduction::kMin:
        return min(a, b);
      case Reduction::kNone:
        break;
    }
    return {};
  }

  Elements elements_;
  std::vector<bool> written_;
  Reduction reduction_;
};

struct Operands {
  Contents data, indices;
  std::optional<Contents> updates;  // nothing: unknown, but their places are known
};

/// Data and indices with known elements; nothing if there is nothing to follow. Only int64 is wide
/// enough for a sum or product to be taken for the mathematical one.
std::optional<Operands> operands_of(InferContext& ctx, Reduction reduction) {
  if (reduction != Reduction::kNone && ctx.elem(0) != ElemType::kInt64) return std::nullopt;
  auto data = contents_of(ctx, 0);
  if (!data) return std::nullopt;
  auto indices = contents_of(ctx, 1);
  if (!indices) return std::nullopt;
  return Operands{std::move(*data), std::move(*indices), contents_of(ctx, 2)};
}

void scatter_elements_of(InferContext& ctx, size_t axis, Reduction reduction) {
  const auto operands = operands_of(ctx, reduction);
  if (!operands) return;
  const auto& [data, indices, updates] = *operands;
  if (updates && updates->dims != indices.dims) return;
  Updated updated(data, reduction);
  IndexWalk walk(indices.dims);
  for (size_t n = 0; n < indices.elements->size(); ++n, walk.next()) {
    Index target = walk.index();
    const auto at = resolved_index((*indices.elements)[n], data.dims[axis]);
    if (!at) return;
    target[axis] = *at;
    for (size_t i = 0; i < target.size(); ++i) {
      if (target[i] >= data.dims[i]) return;
    }
    updated.put(row_major(data.dims, target), updates ? (*updates->elements)[n] : Scalar());
  }
  ctx.set_elements(0, updated.take());
}

void scatter_nd_elements(InferContext& ctx, Reduction reduction) {
  const auto operands = operands_of(ctx, reduction);
  if (!operands) return;
  const auto& [data, indices, updates] = *operands;
  const auto depth = static_cast<size_t>(indices.dims.back());
  if (depth == 0) return;  // each of any number of empty tuples would write all of data
  const std::span<const int64_t> dims(data.dims);
  const size_t slice = count_of(dims.subspan(depth));
  const size_t tuples = count_of(std::span(indices.dims).first(indices.dims.size() - 1));
  if (updates && updates->elements->size() != tuples * slice) return;
  Updated updated(data, reduction);
  Index target(depth);
  for (size_t n = 0; n < tuples; ++n) {
    for (size_t i = 0; i < depth; ++i) {
      const auto at = resolved_index((*indices.elements)[n * depth + i], dims[i]);
      if (!at) return;
      target[i] = *at;
    }
    const size_t first = row_major(dims.first(depth), target) * slice;
    for (size_t i = 0; i < slice; ++i) {
      updated.put(first + i, updates ? (*updates->elements)[n * slice + i] : Scalar());
    }
  }
  ctx.set_elements(0, updated.take());
}

/// Sets output 0 to the type and shape of data; false if a type is not allowed (label `T`).
bool like_data(InferContext& ctx, std::span<const ElemType> index_types) {
  std::optional<Shape> out;
  if (const Shape* data = ctx.shape(0)) out = *data;
  ctx.set_tensor(0, ctx.elem(0), std::move(out));
  return ctx.require_elem(1, index_types, "Tind") && ctx.require_same_elem(0, 2, "T");
}

/// Scatter and ScatterElements: the shape of data.
///   C1  rank of data >= 1    C2  indices and updates have data's rank
///   C3  -r <= axis < r       C4  indices and updates have the same dims
///   C5  reduction is none, add, mul, max or min
Outcome scatter_elements(InferContext& ctx) {
  if (!like_data(ctx, kIndexTypes) || !ctx.require_rank(0, 1, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const auto reduction = reduction_of(ctx, "C5");
  if (!reduction) return Outcome::kFailed;
  if (const auto rank = ctx.rank(0)) {
    if (!ctx.require_rank(1, *rank, "C2") || !ctx.require_rank(2, *rank, "C2")) {
      return Outcome::kFailed;
    }
  }
  if (ctx.rank(1) && ctx.rank(2)) {
    const Shape indices = *ctx.shape(1);
    const Shape updates = *ctx.shape(2);
    if (!ctx.require_rank(2, indices.size(), "C2")) return Outcome::kFailed;
    for (size_t i = 0; i < indices.size(); ++i) {
      ctx.require_equal(indices[i], updates[i], "C4",
                        fmt::format("the dims of indices and updates at axis {}", i));
    }
  }
  if (!ctx.rank(0)) return Outcome::kDone;
  const int64_t given = ctx.attr_int("axis", 0);
  const auto axis = normalise_axis(given, *ctx.rank(0));
  if (!axis) {
    return ctx.fail(Code::kAttribute, "C3",
                    fmt::format("axis {} is outside of the axes of rank {}", given, *ctx.rank(0)));
  }
  scatter_elements_of(ctx, *axis, *reduction);
  return Outcome::kDone;
}

/// ScatterND: the shape of data.
///   C1  ranks of data and indices >= 1    C2  the last dim k of indices is at most data's rank
///   C3  updates has the dims indices.dims[:-1] + data.dims[k:]
///   C5  reduction is none, add, mul, max or min
Outcome scatter_nd(InferContext& ctx) {
  if (!like_data(ctx, kInt64) || !ctx.require_rank(0, 1, SIZE_MAX, "C1") ||
      !ctx.require_rank(1, 1, SIZE_MAX, "C1")) {
    return Outcome::kFailed;
  }
  const auto reduction = reduction_of(ctx, "C5");
  if (!reduction) return Outcome::kFailed;
  if (!ctx.rank(0) || !ctx.rank(1)) return Outcome::kDone;
  const Shape data = *ctx.shape(0);
  const Shape indices = *ctx.shape(1);
  const auto depth = indices.back().number();
  if (!depth) return Outcome::kDone;
  if (*depth < 0 || *depth > static_cast<int64_t>(data.size())) {
    return ctx.fail(
        Code::kInputDim, "C2",
        fmt::format("the last dim of indices is {}, the rank of data {}", *depth, data.size()));
  }
  Shape wanted(indices.begin(), indices.end() - 1);
  wanted.insert(wanted.end(), data.begin() + *depth, data.end());
  if (!ctx.require_rank(2, wanted.size(), "C3")) return Outcome::kFailed;
  if (ctx.rank(2)) {
    const Shape updates = *ctx.shape(2);
    for (size_t i = 0; i < wanted.size(); ++i) {
      ctx.require_equal(wanted[i], updates[i], "C3",
                        fmt::format("dim {} of updates and what indices and data give", i));
    }
  }
  scatter_nd_elements(ctx, *reduction);
  return Outcome::kDone;
}

constexpr auto kRules = std::to_array<OpRule>({
    {"Scatter", 9, scatter_elements},
    {"ScatterElements", 11, scatter_elements},
    {"ScatterND", 11, scatter_nd},
});

}  // namespace

std::span<const Family> scatter_family() {
  static constexpr Family kFamilies[] = {{"", kRules}};
  return kFamilies;
}

}  // namespace onnx_shapes
