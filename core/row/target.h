// What a row is tuned for.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::core {

// "gfx942" and 304, or "cpu-x86-64-v4" and 8. Where a target is asked for, "" and 0 stand for any.
struct Target {
  std::string gfx;
  int cu_num = 0;

  bool operator==(const Target&) const = default;

  // Whether what was asked for as this has a row of that target in it. A row without a count, 0, is
  // of each.
  bool Includes(std::string_view row_gfx, int row_cu_num) const {
    return (gfx.empty() || gfx == row_gfx) &&
           (cu_num == 0 || row_cu_num == 0 || cu_num == row_cu_num);
  }
};

}  // namespace tunehub::core
