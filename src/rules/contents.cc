// The contents of small tensors, addressed by index.
#include "rules/contents.h"

#include <fmt/format.h>

#include <algorithm>

namespace onnx_shapes {
namespace {

/// More axes than that are no tensor; it keeps a hostile length from becoming an allocation.
constexpr int64_t kMaxFollowedRank = 1024;

}  // namespace

size_t row_major(std::span<const int64_t> dims, std::span<const int64_t> index) {
  size_t position = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    position = position * static_cast<size_t>(dims[i]) + static_cast<size_t>(index[i]);
  }
  return position;
}

size_t count_of(std::span<const int64_t> dims) {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

const Scalar& Contents::at(std::span<const int64_t> index) const {
  return (*elements)[row_major(dims, index)];
}

std::shared_ptr<const Elements> known_elements(InferContext& ctx, size_t input) {
  const std::shared_ptr<const Elements>& elements = ctx.shared_elements(input);
  return elements != nullptr && any_known(*elements) ? elements : nullptr;
}

std::optional<Contents> contents_of(InferContext& ctx, size_t input) {
  std::shared_ptr<const Elements> elements = known_elements(ctx, input);
  if (elements == nullptr) return std::nullopt;
  const Shape* shape = ctx.shape(input);
  auto dims = shape != nullptr ? static_shape(*shape) : std::nullopt;
  if (!dims) return std::nullopt;
  return Contents{std::move(*dims), std::move(elements)};
}

void IndexWalk::next() {
  for (size_t i = index_.size(); i-- > 0;) {
    if (++index_[i] < dims_[i]) return;
    index_[i] = 0;
  }
}

bool is_followed(const InferContext& ctx, size_t output) {
  const Fact& fact = ctx.output(output);
  if (!fact.is_tensor() || !fact.shape) return false;
  const auto limit = static_cast<int64_t>(kMaxElements);
  int64_t count = 1;
  for (const Dim dim : *fact.shape) {
    const std::optional<int64_t> number = dim.number();
    if (!number || *number < 0 || *number > limit) return false;
    count *= *number;
    if (count > limit) return false;
  }
  return true;
}

std::optional<std::vector<int64_t>> followed_dims(const InferContext& ctx, size_t output) {
  return is_followed(ctx, output) ? static_shape(*ctx.output(output).shape) : std::nullopt;
}

void copy_elements(InferContext& ctx, size_t output, size_t input) {
  if (!is_followed(ctx, output)) return;
  ctx.set_elements(output, ctx.shared_elements(input));
}

std::optional<Shape> shape_of_rank(Dim rank) {
  const std::optional<int64_t> number = rank.number();
  if (!number || *number < 0 || *number > kMaxFollowedRank) return std::nullopt;
  return Shape(static_cast<size_t>(*number));
}

std::optional<int64_t> resolved_index(const Scalar& index, int64_t length) {
  const auto number = index.integer().number();
  if (!number || *number < -length || *number >= length) return std::nullopt;
  return *number < 0 ? *number + length : *number;
}

Axes axes_attribute(InferContext& ctx) {
  const auto numbers = ctx.attr_ints("axes");
  if (!numbers) return {};
  return {.given = true,
          .numbers = std::vector<int64_t>(numbers->begin(), numbers->end()),
          .count = ctx.lit(static_cast<int64_t>(numbers->size()))};
}

Axes axes_input(InferContext& ctx, size_t input) {
  if (!ctx.has_input(input)) return {};
  Axes axes{.given = true, .numbers = ctx.constant_integers(input), .count = {}};
  if (const Shape* shape = ctx.shape(input)) axes.count = element_count(ctx.pool(), *shape);
  return axes;
}

std::optional<std::vector<size_t>> normalise_axes(InferContext& ctx, std::span<const int64_t> axes,
                                                  size_t rank, std::string_view range,
                                                  std::string_view distinct) {
  std::vector<size_t> indices;
  indices.reserve(std::min(axes.size(), rank));
  for (const int64_t axis : axes) {
    const auto index = normalise_axis(axis, rank);
    if (!index) {
      ctx.report(Code::kInputValue, range,
                 fmt::format("axis {} is outside of [-{}, {}], the axes of rank {}", axis, rank,
                             static_cast<int64_t>(rank) - 1, rank));
      return std::nullopt;
    }
    const bool seen = std::find(indices.begin(), indices.end(), *index) != indices.end();
    if (seen && !distinct.empty()) {
      ctx.report(Code::kInputValue, distinct, fmt::format("axis {} is named twice", *index));
      return std::nullopt;
    }
    if (!seen) indices.push_back(*index);
  }
  return indices;
}

}  // namespace onnx_shapes
