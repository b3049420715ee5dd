// The target of a row: gfx and CU count.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/cell.h"

namespace tunehub::core {

// The prefix of a CPU's gfx: "cpu-x86-64-v3".
inline constexpr std::string_view kCpuPrefix = "cpu-";

// The gfx of a row whose table has no gfx. The row fits any gfx.
inline constexpr std::string_view kAnyGfx = "any";

// The gfx of rows whose device is unknown. Of the device, such a row contains only the name.
inline constexpr std::string_view kUnknownGfx = "unknown";

// The largest accepted CU count. A larger count is a mistake.
inline constexpr int kMaxCuNum = 4096;

// "gfx942" and 304, or "cpu-x86-64-v4" and 8. In a request, "" and 0 mean any.
struct Target {
  std::string gfx;
  int cu_num = 0;

  bool operator==(const Target&) const = default;

  // True if the row belongs to this target. "" and 0 in this target mean any. A row with 0 CUs fits
  // any CU count.
  bool Includes(std::string_view row_gfx, int row_cu_num) const {
    return (gfx.empty() || gfx == row_gfx || row_gfx == kAnyGfx) &&
           (cu_num == 0 || row_cu_num == 0 || cu_num == row_cu_num);
  }
};

// Returns the target of a name and a CU count (0: not given), in any case. A gfx gives the gfx
// without its features. A product, alias or PCI id of devices.json gives its gfx and CU count (0:
// unknown); a vendor may precede the product. A given CU count replaces the product's. A
// well-formed gfx need not be known, because a hub may have rows of a newer GPU. Errors: bad_gfx,
// with the nearest names (no GPU, or several, have this name); bad_cu_num (out of range).
Result<Target> NamedTarget(const Targets& targets, std::string_view name, int cu_num = 0);

// Like NamedTarget, for options that a user typed. Errors: also bad_gfx for a gfx that no GPU has;
// bad_cu_num for a count that neither the product nor one of its partitions has.
Result<Target> KnownTarget(const Targets& targets, std::string_view name, int cu_num = 0);

// Completes a target for a lookup. By default, the CU count is the usual one of the gfx; it is 0 if
// the family has no CU counts. Errors: the target's; bad_cu_num.
Result<Target> TargetToLookUp(const Targets& targets, Result<Target> target, bool has_cu_num);

// "no known GPU has the architecture gfx943; did you mean gfx942?". Returns "" if a GPU has it, and
// for names of other vendors: their tools may append letters (sm_90a).
std::string WhyUnknownGfx(const Targets& targets, std::string_view gfx);

// Returns the gfx and CU count in the row (0: the family has no CU count). If the row names a
// device instead, returns the gfx and CU count of the device.
inline Target TargetOf(const Family& family, const Targets& targets, const Cells& cells) {
  if (family.gfx == kNoColumn) {
    const Device* const device = targets.FindDevice(cells[family.device]);
    const std::string gfx(cells[family.device]);
    // TunableOp's files name no product. For AMD's GPUs they name the gfx.
    if (device == nullptr && targets.Find(gfx) != nullptr) return {gfx, 0};
    if (device == nullptr) return {std::string(kUnknownGfx), 0};
    return {device->gfx, device->cu_num};
  }
  Target target{std::string(cells[family.gfx]), 0};
  if (family.cu_num != kNoColumn) target.cu_num = ParseInt(cells[family.cu_num]).value_or(0);
  return target;
}

// The row's own gfx; "" in a family whose rows name a device.
inline std::string_view GfxOf(const Family& family, const Cells& cells) {
  return family.gfx == kNoColumn ? std::string_view() : cells[family.gfx];
}

// Writes a target into the columns that the family has for it. `cu_num` "": no CU count.
inline void PutTarget(const Family& family, std::string_view gfx, std::string_view cu_num,
                      Cells& cells) {
  if (family.gfx != kNoColumn) cells[family.gfx] = gfx;
  if (family.cu_num != kNoColumn) cells[family.cu_num] = cu_num;
}

}  // namespace tunehub::core
