// Progress of long work, on a terminal.
#pragma once

#include <chrono>
#include <cstdint>

namespace onnx_shapes {

/// Shows the progress of long work on a terminal's standard error.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(uint64_t nodes);

 private:
  using Clock = std::chrono::steady_clock;

  bool shown_;
  bool printed_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace onnx_shapes
