#include "support/heap.h"

#include <cstdlib>  // also says which C library it is
#include <vector>

#if defined(__linux__) && defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#endif

namespace onnx_shapes {

#if defined(__linux__) && defined(__GLIBC__)

void prepare_heap() {
  constexpr int kGrowth = 64 << 20;
  constexpr int kLargestBlock = 32 << 20;  // the largest that mallopt takes
  constexpr uintptr_t kLargePage = uintptr_t{2} << 20U;
  mallopt(M_TOP_PAD, kGrowth);
  mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  const auto before = reinterpret_cast<uintptr_t>(sbrk(0));
  // One block that does not fit makes the heap grow. Volatile, so that it is not optimised away.
  void* volatile block = std::malloc(kLargePage);
  std::free(block);
  const auto after = reinterpret_cast<uintptr_t>(sbrk(0));
  const uintptr_t start = (before + kLargePage - 1) & ~(kLargePage - 1);
  // A refusal leaves small pages.
  if (after > start)
    static_cast<void>(madvise(reinterpret_cast<void*>(start), after - start, MADV_HUGEPAGE));
}

#else

void prepare_heap() {}

#endif

void keep_any_until_exit(std::shared_ptr<const void> value) {
  static auto& kept = *new std::vector<std::shared_ptr<const void>>;  // never destroyed
  kept.push_back(std::move(value));
}

}  // namespace onnx_shapes
