// Runs a kernel over a grid, on the CPU.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/result.h"
#include "tests/amd/emu/block.h"

namespace tunehub::kernels::emu {

struct Grid {
  int x = 1, y = 1, z = 1;
};

struct LaunchOptions {
  std::uint64_t seed = 1;  // determines the order in which lanes run
  int workers = 1;         // threads of the operating system, one block each
};

// Each lane of each block executes `work`. Returns the first error of a Block::Run.
std::optional<core::Error> Launch(const Grid& grid, int threads, int lds_bytes,
                                  const Memory& memory, const std::function<void(char* lds)>& work,
                                  const LaunchOptions& options = {});

}  // namespace tunehub::kernels::emu
