// What a row is tuned for.
#pragma once

#include <string>

namespace tunehub::core {

// "gfx942" and 304, or "cpu-x86-64-v4" and 8. Where a target is asked for, "" and 0 stand for any.
struct Target {
  std::string gfx;
  int cu_num = 0;

  bool operator==(const Target&) const = default;
};

}  // namespace tunehub::core
