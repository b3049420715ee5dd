#include "agent/commands/tables/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace tunehub::agent {
namespace {

// Above what a merge of AITER's largest family needs. Reserved, not used: untouched pages cost
// nothing.
constexpr int kHeapBytes = 64 << 20;
constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;

}  // namespace

void PrepareHeap() {
  mallopt(M_ARENA_MAX, 1);                // threads share it: no second heap,
  mallopt(M_TOP_PAD, kHeapBytes);         // grow by this much at once,
  mallopt(M_TRIM_THRESHOLD, kHeapBytes);  // give nothing back,
  mallopt(M_MMAP_THRESHOLD, kHeapBytes);  // and keep large blocks in it
  const auto begin = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  void* volatile grown = std::malloc(kHugePage);  // volatile, or the compiler drops the pair
  std::free(grown);
  const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  // A refusal costs time, nothing else.
  if (end > first) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace tunehub::agent
