#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace onnx_shapes {

Progress::Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (printed_) std::fputs("\r\033[K", stderr);
}

void Progress::operator()(uint64_t nodes) {
  if (!shown_ || Clock::now() < next_) return;
  next_ = Clock::now() + std::chrono::milliseconds(200);
  printed_ = true;
  fmt::print(stderr, "\rinferring: {} nodes", nodes);
  std::fflush(stderr);
}

}  // namespace onnx_shapes
