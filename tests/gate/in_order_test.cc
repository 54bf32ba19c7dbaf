// Results come in order, whatever the order in which they are made.
#include "gate/in_order.h"

#include <chrono>
#include <set>

#include "tests/support/catch.h"

namespace onnx_shapes {

TEST_CASE("Results are delivered in order by the calling thread") {
  for (const size_t jobs : {0U, 1U, 2U, 7U, 100U}) {
    INFO(jobs);
    std::vector<size_t> delivered;
    const auto here = std::this_thread::get_id();
    bool same_thread = true;
    in_order<size_t>(
        20, jobs,
        [](size_t i) {
          // The first is the slowest.
          std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 20 : 20 - i) / 4);
          return i * i;
        },
        [&](size_t i, size_t result) {
          same_thread = same_thread && std::this_thread::get_id() == here;
          CHECK(result == i * i);
          delivered.push_back(i);
        });
    CHECK(same_thread);
    REQUIRE(delivered.size() == 20);
    for (size_t i = 0; i < delivered.size(); ++i) CHECK(delivered[i] == i);
  }
}

TEST_CASE("No more threads work than asked for") {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  in_order<int>(
      50, 3,
      [&](size_t) {
        const std::lock_guard lock(mutex);
        threads.insert(std::this_thread::get_id());
        return 0;
      },
      [](size_t, int) {});
  CHECK(threads.size() <= 3);
  CHECK(!threads.contains(std::this_thread::get_id()));
}

TEST_CASE("Nothing to do is done") {
  bool called = false;
  const auto call = [&](size_t) {
    called = true;
    return 0;
  };
  in_order<int>(0, 4, call, [&](size_t, int) { called = true; });
  CHECK(!called);
}

}  // namespace onnx_shapes
