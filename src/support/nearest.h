// The word that was probably meant.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace onnx_shapes {

/// How many letters must be inserted, removed, replaced or swapped with their neighbour to get from
/// one word to the other, or `limit + 1` if that is more than `limit`.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

/// The candidate that differs least from `word`, in no more than a third of its letters (one in a
/// short word); the first of several. Nothing if none is that near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

/// "; did you mean 'ignore'?", or nothing if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace onnx_shapes
