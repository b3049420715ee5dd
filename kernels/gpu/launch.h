// One launch of one kernel, as plain data: what a set of kernels plans and any driver runs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tunehub::kernels::gpu {

struct Launch {
  // An ELF of AMD's, or NVIDIA's PTX or cubin; PTX ends with a zero byte beyond its end. It stays
  // where it is for the life of the process: its address is its identity.
  std::string_view code;
  std::string function;
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned cluster = 1;  // blocks along x that run together; 1 with AMD
  // The kernel's blocks stay and share the work whatever their number, so that more of them than
  // run at one time would only begin when the others have done it: clusters do not always fill a
  // device.
  bool any_grid = false;
  unsigned shared_bytes = 0;
  std::vector<std::byte> arguments;  // the kernel's one parameter, a structure, byte by byte
};

// What computes a problem once: one after the other, as when a second kernel adds a split K.
using Launches = std::vector<Launch>;

}  // namespace tunehub::kernels::gpu
