// What a row is tuned for.
#pragma once

#include <string>
#include <string_view>

namespace tunehub::core {

// What the gfx of a CPU begins with: "cpu-x86-64-v3", never to be taken for a GPU's.
inline constexpr std::string_view kCpuPrefix = "cpu-";

// The gfx of a row whose table does not say it: it is for any.
inline constexpr std::string_view kAnyGfx = "any";

// "gfx942" and 304, or "cpu-x86-64-v4" and 8. Where a target is asked for, "" and 0 stand for any.
struct Target {
  std::string gfx;
  int cu_num = 0;

  bool operator==(const Target&) const = default;

  // Whether a row belongs to this target, where "" and 0 of this stand for any. A row with 0 CUs
  // belongs to every count.
  bool Includes(std::string_view row_gfx, int row_cu_num) const {
    return (gfx.empty() || gfx == row_gfx || row_gfx == kAnyGfx) &&
           (cu_num == 0 || row_cu_num == 0 || cu_num == row_cu_num);
  }
};

}  // namespace tunehub::core
