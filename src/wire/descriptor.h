// An owned file descriptor, and writing all of a buffer to one.
#pragma once

#include <cstddef>
#include <utility>

namespace onnx_shapes {

class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(other.take()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() { (void)close(); }

  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }
  [[nodiscard]] int get() const { return descriptor_; }
  /// Gives up ownership.
  [[nodiscard]] int take() { return std::exchange(descriptor_, -1); }
  /// False, with errno set, if the system reports a failure: a late one of an earlier write.
  [[nodiscard]] bool close();

 private:
  int descriptor_;
};

/// False, with errno set, on failure.
[[nodiscard]] bool write_all(int descriptor, const void* bytes, size_t size);

}  // namespace onnx_shapes
