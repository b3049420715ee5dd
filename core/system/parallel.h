// The same work on several threads: each takes the next index until none is left.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tunehub::core {

// Calls `work(0)` ... `work(count - 1)` on this thread and up to `threads` - 1 more, returns when
// all are done. `work` must not throw.
template <typename Work>
void InParallel(std::size_t count, std::size_t threads, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> helpers;  // joined when they go
  for (std::size_t i = 1; i < threads && i < count; ++i) helpers.emplace_back(run);
  run();
}

}  // namespace tunehub::core
