// The contents of small tensors, addressed by index.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "infer/context.h"

namespace onnx_shapes {

using Index = std::vector<int64_t>;

/// A tensor of known dims and at least partly known elements.
struct Contents {
  std::vector<int64_t> dims;
  std::shared_ptr<const Elements> elements;  // row-major, not null
  /// Precondition: 0 <= index[i] < dims[i].
  [[nodiscard]] const Scalar& at(std::span<const int64_t> index) const;
};

/// Position of an index in row-major order.
[[nodiscard]] size_t row_major(std::span<const int64_t> dims, std::span<const int64_t> index);
/// How many elements the dims have, which are those of contents; 1 without dims.
[[nodiscard]] size_t count_of(std::span<const int64_t> dims);

/// The elements of input i as they are now; null if none of them is known.
[[nodiscard]] std::shared_ptr<const Elements> known_elements(InferContext& ctx, size_t input);

/// The contents of input i as they are now; nothing if none of them is known.
[[nodiscard]] std::optional<Contents> contents_of(InferContext& ctx, size_t input);

/// The indices of a tensor in row-major order.
class IndexWalk {
 public:
  /// The dims are kept as a reference.
  explicit IndexWalk(std::span<const int64_t> dims) : dims_(dims), index_(dims.size()) {}
  [[nodiscard]] const Index& index() const { return index_; }
  void next();

 private:
  std::span<const int64_t> dims_;
  Index index_;
};

/// Whether output i is small enough for its contents to be followed; its dims, if it is.
[[nodiscard]] bool is_followed(const InferContext& ctx, size_t output);
[[nodiscard]] std::optional<std::vector<int64_t>> followed_dims(const InferContext& ctx,
                                                                size_t output);

/// Sets each element of output i, whose shape has been set, to `at(index)`; does nothing if the
/// shape is not known or too large.
template <class At>
void set_each(InferContext& ctx, size_t output, const At& at) {
  const auto dims = followed_dims(ctx, output);
  if (!dims) return;
  const size_t count = count_of(*dims);
  Elements elements;
  elements.reserve(count);
  IndexWalk walk(*dims);
  for (; elements.size() < count; walk.next()) elements.push_back(at(walk.index()));
  ctx.set_elements(output, std::move(elements));
}

/// Gives output i, whose shape has been set, the elements of input j in the same order.
void copy_elements(InferContext& ctx, size_t output, size_t input);

/// A shape of that many unknown dims; nothing if the rank is not known or absurd.
[[nodiscard]] std::optional<Shape> shape_of_rank(Dim rank);
[[nodiscard]] inline Shape shape_of_rank(size_t rank) { return Shape(rank); }

/// A constant index into an axis of `length`, counted from the front; nothing if it is not known or
/// outside of [-length, length).
[[nodiscard]] std::optional<int64_t> resolved_index(const Scalar& index, int64_t length);

/// Axes that an operator's attribute or input names.
struct Axes {
  bool given = false;
  std::optional<std::vector<int64_t>> numbers;  // nothing: they depend on data
  Dim count;
};
[[nodiscard]] Axes axes_attribute(InferContext& ctx);
[[nodiscard]] Axes axes_input(InferContext& ctx, size_t input);

/// The axes as indices below `rank`; nothing, and a finding, if one is outside [-rank, rank) (label
/// `range`) or there twice (label `distinct`; an empty label allows it).
[[nodiscard]] std::optional<std::vector<size_t>> normalise_axes(InferContext& ctx,
                                                                std::span<const int64_t> axes,
                                                                size_t rank, std::string_view range,
                                                                std::string_view distinct);

}  // namespace onnx_shapes
