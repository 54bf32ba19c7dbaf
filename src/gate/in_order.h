// Work on several things at once, with the results in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace onnx_shapes {

/// Calls `work(i)` for each i below `count`, up to `jobs` at the same time, and `deliver(i,
/// result)` in order of i, each as soon as it and those before it are there. `deliver` is called by
/// the calling thread alone. `work` does not throw.
template <class T>
void in_order(size_t count, size_t jobs, const std::function<T(size_t)>& work,
              const std::function<void(size_t, T)>& deliver) {
  if (jobs <= 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) deliver(i, work(i));
    return;
  }
  std::vector<std::optional<T>> results(count);
  std::mutex mutex;
  std::condition_variable arrived;
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (size_t job = 0; job < jobs && job < count; ++job) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < count; i = next++) {
        T result = work(i);
        const std::lock_guard lock(mutex);
        results[i] = std::move(result);
        arrived.notify_one();
      }
    });
  }
  for (size_t i = 0; i < count; ++i) {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [&] { return results[i].has_value(); });
    T result = std::move(*results[i]);
    results[i].reset();
    lock.unlock();
    deliver(i, std::move(result));
  }
}

}  // namespace onnx_shapes
