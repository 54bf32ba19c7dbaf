// A growing array whose elements never move, so that references to them outlive later growth.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace onnx_shapes {

template <class T>
class StableVector {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  T& operator[](size_t i) { return chunks_[i / kChunk][i % kChunk]; }
  const T& operator[](size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
  [[nodiscard]] T& back() { return chunks_.back().back(); }

  T& push_back(T element) { return emplace_back(std::move(element)); }
  /// Made where it stays.
  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ % kChunk == 0) {
      chunks_.emplace_back();
      chunks_.back().reserve(kChunk);
    }
    ++size_;
    return chunks_.back().emplace_back(std::forward<Arguments>(arguments)...);
  }

 private:
  static constexpr size_t kChunk = 256;
  std::vector<std::vector<T>> chunks_;
  size_t size_ = 0;
};

}  // namespace onnx_shapes
