// Closing and writing with the system's interruptions and short counts handled.
#include "wire/descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace onnx_shapes {

bool Descriptor::close() {
  if (descriptor_ < 0) return true;
  // On Linux the descriptor is gone even after EINTR.
  return ::close(take()) == 0 || errno == EINTR;
}

bool write_all(int descriptor, const void* bytes, size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::write(descriptor, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    from += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

}  // namespace onnx_shapes
