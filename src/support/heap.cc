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
  char* const before = static_cast<char*>(sbrk(0));
  // One block that does not fit makes the heap grow. Volatile, so that it is not optimised away.
  void* volatile block = std::malloc(kLargePage);
  std::free(block);
  char* const after = static_cast<char*>(sbrk(0));
  const uintptr_t past_a_page = reinterpret_cast<uintptr_t>(before) % kLargePage;
  char* const start = before + (kLargePage - past_a_page) % kLargePage;
  // A refusal leaves small pages.
  if (after > start) {
    static_cast<void>(madvise(start, static_cast<size_t>(after - start), MADV_HUGEPAGE));
  }
}

#else

void prepare_heap() {}

#endif

void keep_any_until_exit(std::shared_ptr<const void> value) {
  static auto& kept = *new std::vector<std::shared_ptr<const void>>;  // never destroyed
  kept.push_back(std::move(value));
}

}  // namespace onnx_shapes
