#include "agent/commands/capture/log_target.h"

#include <fmt/core.h>

#include <optional>

#include "agent/tuning/device/this_device.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

// The one target that lines name with gfx and CU count; nothing where they name several or none.
std::optional<core::Target> OnlyTarget(std::span<const core::MissShape> shapes) {
  std::optional<core::Target> only;
  for (const core::MissShape& shape : shapes) {
    const auto cu_num = core::ParseInt(shape.cu_num);
    if (shape.gfx.empty() || !cu_num) continue;
    const core::Target target{shape.gfx, *cu_num};
    if (only && *only != target) return std::nullopt;
    only = target;
  }
  return only;
}

}  // namespace

LogTarget TargetOfLog(const core::Target& asked, std::span<const core::MissShape> shapes,
                      const std::filesystem::path& root) {
  if (!asked.gfx.empty()) return {asked, TargetFrom::kOptions};
  if (const auto only = OnlyTarget(shapes)) return {*only, TargetFrom::kLog};
  const auto device = tuning::AmdDevice(root);
  if (device.ok()) return {device->target, TargetFrom::kHost};
  return {};
}

std::vector<core::MissShape> WithTarget(std::vector<core::MissShape> shapes,
                                        const core::Target& target) {
  if (target.gfx.empty()) return shapes;
  for (core::MissShape& shape : shapes) {
    if (!shape.gfx.empty()) continue;
    const core::Family& family = *shape.family;
    shape.gfx = target.gfx;
    if (shape.cu_num.empty() && family.cu_num != core::kNoColumn) {
      shape.cu_num = std::to_string(target.cu_num);
    }
    for (std::size_t i = 0; i < shape.cells.size(); ++i) {
      const std::size_t column = family.Find(family.untuned_columns[i]);
      if (column == family.gfx) shape.cells[i] = shape.gfx;
      if (column == family.cu_num) shape.cells[i] = shape.cu_num;
    }
  }
  return shapes;
}

std::string Describe(const core::Targets& targets, const core::Target& target) {
  return targets.devices().TargetName(target.gfx, target.cu_num);
}

std::string Name(const core::Target& target) {
  return target.cu_num == 0 ? target.gfx : fmt::format("{}:{}", target.gfx, target.cu_num);
}

}  // namespace tunehub::agent
