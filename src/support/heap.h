// How the process gets its memory.
#pragma once

namespace onnx_shapes {

/// Lets the heap grow in large steps and asks for large pages there. A run touches tens of
/// megabytes once and ends, so a third of its time would go into page faults. To be called once,
/// first thing in main; where the C library or the kernel knows nothing of it, nothing changes.
void prepare_heap();

}  // namespace onnx_shapes
