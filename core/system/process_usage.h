// What this process takes of the machine, as /proc says.
#pragma once

#include <cstddef>
#include <optional>

namespace tunehub::core {

struct ProcessUsage {
  double cpu_seconds = 0;      // of all threads, in the program and in the kernel
  double started_seconds = 0;  // since 1970
  std::size_t resident_bytes = 0, virtual_bytes = 0;
  std::size_t threads = 0;
  std::size_t open_files = 0, most_files = 0;
};

// Absent where /proc cannot be read.
std::optional<ProcessUsage> ReadProcessUsage();

}  // namespace tunehub::core
