// How the process gets its memory.
#pragma once

#include <memory>
#include <utility>

namespace onnx_shapes {

/// Lets the heap grow in large steps and asks for large pages there. A run touches tens of
/// megabytes once and ends, so a third of its time would go into page faults. To be called once,
/// first thing in main; where the C library or the kernel knows nothing of it, nothing changes.
void prepare_heap();

void keep_any_until_exit(std::shared_ptr<const void> value);

/// Leaves a value to the end of the process, which takes it back as a whole: freeing the nodes and
/// expressions of a large model one by one would take a tenth of a run. For what lives to the end
/// of a run of one model, and nowhere else.
template <class T>
void keep_until_exit(T value) {
  keep_any_until_exit(std::make_shared<T>(std::move(value)));
}

}  // namespace onnx_shapes
