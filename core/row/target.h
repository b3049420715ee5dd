// What a row is tuned for.
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

// Of a gfx, with its features stripped, the gfx with 0 CUs. Of a product, an alias or a PCI id of
// devices.json its gfx and CU count (0 where nobody knows that one). Errors bad_gfx, which begin
// with the name: it is neither, or several devices share it.
inline Result<Target> NamedTarget(const Devices& devices, std::string_view name) {
  if (const Device* const device = devices.Find(name)) return Target{device->gfx, device->cu_num};
  if (!name.empty() && devices.IsAmbiguous(name)) {
    return Error{"bad_gfx",
                 fmt::format("'{}' is a name that several devices share: name a product, "
                             "such as MI300X, or a target, such as gfx942",
                             Excerpt(name))};
  }
  if (const auto gfx = CanonicalGfx(name)) return Target{std::string(*gfx), 0};
  return Error{"bad_gfx", fmt::format("'{}' is no target name such as gfx942", Excerpt(name))};
}

// The target of rows of a device that nobody knows: they are kept under its name alone.
inline constexpr std::string_view kUnknownGfx = "unknown";

// By the row's gfx and CU count (0: the family has none), or by what is known of its device.
inline Target TargetOf(const Family& family, const Targets& targets, const Cells& cells) {
  if (family.gfx == kNoColumn) {
    const Device* const device = targets.FindDevice(cells[family.device]);
    const std::string gfx(cells[family.device]);
    // TunableOp's files name no product, but on AMD's GPUs the gfx.
    if (device == nullptr && targets.Find(gfx) != nullptr) return {gfx, 0};
    if (device == nullptr) return {std::string(kUnknownGfx), 0};
    return {device->gfx, device->cu_num};
  }
  Target target{std::string(cells[family.gfx]), 0};
  if (family.cu_num != kNoColumn) target.cu_num = ParseInt(cells[family.cu_num]).value_or(0);
  return target;
}

// The row's own gfx; "" in a family of devices.
inline std::string_view GfxOf(const Family& family, const Cells& cells) {
  return family.gfx == kNoColumn ? std::string_view() : cells[family.gfx];
}

// Writes a target into the columns that the family has for it. `cu_num` "": none.
inline void PutTarget(const Family& family, std::string_view gfx, std::string_view cu_num,
                      Cells& cells) {
  if (family.gfx != kNoColumn) cells[family.gfx] = gfx;
  if (family.cu_num != kNoColumn) cells[family.cu_num] = cu_num;
}

}  // namespace tunehub::core
