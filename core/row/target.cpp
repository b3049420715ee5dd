#include "core/row/target.h"

#include <string>

#include "core/row/cell.h"

namespace tunehub::core {

Target TargetOf(const Family& family, const Targets& targets, const Cells& cells) {
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

std::string_view GfxOf(const Family& family, const Cells& cells) {
  return family.gfx == kNoColumn ? std::string_view() : cells[family.gfx];
}

void PutTarget(const Family& family, std::string_view gfx, std::string_view cu_num, Cells& cells) {
  if (family.gfx != kNoColumn) cells[family.gfx] = gfx;
  if (family.cu_num != kNoColumn) cells[family.cu_num] = cu_num;
}

}  // namespace tunehub::core
