#include "tests/amd/emu/launch.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace tunehub::kernels::emu {

std::optional<core::Error> Launch(const Grid& grid, int threads, int lds_bytes,
                                  const Memory& memory, const std::function<void(char* lds)>& work,
                                  const LaunchOptions& options) {
  std::atomic<int> next{0};
  std::mutex mutex;
  std::optional<core::Error> error;
  const int count = grid.x * grid.y * grid.z;
  const auto run = [&] {
    Block block(threads, lds_bytes, memory, work, options.seed);
    for (int i = next++; i < count; i = next++) {
      auto fault = block.Run({i % grid.x, i / grid.x % grid.y, i / grid.x / grid.y});
      if (!fault) continue;
      next = count;
      const std::lock_guard lock(mutex);
      if (!error) error = std::move(fault);
      return;
    }
  };
  std::vector<std::thread> others;
  for (int i = 1; i < options.workers; ++i) others.emplace_back(run);
  run();
  for (auto& other : others) other.join();
  return error;
}

}  // namespace tunehub::kernels::emu
