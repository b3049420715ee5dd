#include "core/system/memory.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace tunehub::core {
namespace {

// By itself glibc raises this bound with each larger block that is freed, up to 32 MB.
constexpr int kMappedFrom = 1024 * 1024;
// Each arena keeps freed memory of its own; by itself there are eight of them for each processor.
constexpr int kMostArenas = 8;
constexpr std::int64_t kWorthwhile = 16 * 1024 * 1024;

// Resident memory that no file is behind, beyond what the heap's users have. A file that cannot be
// read counts nothing.
std::int64_t Unused() {
  std::ifstream in("/proc/self/statm");
  std::int64_t size = 0, resident = 0, of_files = 0;
  in >> size >> resident >> of_files;
  const struct mallinfo2 heap = mallinfo2();
  return (resident - of_files) * sysconf(_SC_PAGESIZE) -
         static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

}  // namespace

void SettleHeap() {
  // NOLINTBEGIN(concurrency-mt-unsafe): called before there are other threads
  mallopt(M_MMAP_THRESHOLD, kMappedFrom);
  mallopt(M_ARENA_MAX, kMostArenas);
  // NOLINTEND(concurrency-mt-unsafe)
}

void HeapKeeper::Look() {
  const std::int64_t unused = Unused();
  rest_ = std::min(rest_, unused);
  if (unused < std::max<std::int64_t>(rest_, 0) + kWorthwhile) return;
  malloc_trim(0);
  rest_ = Unused();
}

}  // namespace tunehub::core
