// What is tuned for.
#pragma once

#include <string>

namespace tunehub::agent::tuning {

// "gfx942" and 304, or "cpu-x86-64-v4" and 8.
struct Target {
  std::string gfx;
  int cu_num = 0;

  bool operator==(const Target&) const = default;
};

}  // namespace tunehub::agent::tuning
