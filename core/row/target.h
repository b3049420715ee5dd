// The target of a row: gfx and CU count.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/cell.h"

namespace tunehub::core {

// The prefix of a CPU's gfx: "cpu-x86-64-v3".
inline constexpr std::string_view kCpuPrefix = "cpu-";

// The gfx of a row whose table has no gfx. The row fits any gfx.
inline constexpr std::string_view kAnyGfx = "any";

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

// Returns the target of a name. A gfx gives the gfx without its features, and 0 CUs. A product,
// alias or PCI id of devices.json gives its gfx and CU count (0: unknown). Errors: bad_gfx (the
// detail begins with the name) if nothing has this name, or if several devices share it.
inline Result<Target> NamedTarget(const Devices& devices, std::string_view name) {
  if (const Device* const device = devices.Find(name)) return Target{device->gfx, device->cu_num};
  if (!name.empty() && devices.IsAmbiguous(name)) {
    return Error{"bad_gfx", fmt::format("several devices share the name '{}'; use a GPU's trade "
                                        "name such as MI300X, or a target such as gfx942",
                                        Excerpt(name))};
  }
  if (const auto gfx = CanonicalGfx(name)) return Target{std::string(*gfx), 0};
  return Error{"bad_gfx",
               fmt::format("'{}': expected a target's name, such as gfx942", Excerpt(name))};
}

// The gfx of rows whose device is unknown. Of the device, such a row contains only the name.
inline constexpr std::string_view kUnknownGfx = "unknown";

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
