// The optimal string alignment distance: Levenshtein's, with swaps of neighbours as one step.
#include "support/nearest.h"

#include <algorithm>
#include <array>
#include <vector>

namespace onnx_shapes {
namespace {

/// Longer words are not misspelt options, keys or names that a person has typed.
constexpr size_t kMaxWord = 200;

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t difference = a.size() < b.size() ? b.size() - a.size() : a.size() - b.size();
  if (difference > limit || std::max(a.size(), b.size()) > kMaxWord) return limit + 1;
  // Rows for the first i - 2, i - 1 and i letters of a.
  std::array<std::vector<size_t>, 3> rows;
  for (std::vector<size_t>& row : rows) row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<size_t>& row = rows[i % 3];
    const std::vector<size_t>& above = rows[(i + 2) % 3];
    const std::vector<size_t>& above_that = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + static_cast<size_t>(a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], above_that[j - 2] + 1);
    }
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  size_t limit = std::max<size_t>(1, word.size() / 3);
  for (const std::string_view candidate : candidates) {
    const size_t distance = edit_distance(word, candidate, limit);
    if (distance > limit || (best && distance == limit)) continue;
    best = candidate;
    if (distance == 0) return best;
    limit = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::optional<std::string_view> found = nearest(word, candidates);
  return found ? "; did you mean '" + std::string(*found) + "'?" : std::string();
}

}  // namespace onnx_shapes
