#include "core/lookup/lookup_target.h"

#include <fmt/core.h>

#include "core/row/target_name.h"

namespace tunehub::lookup {

core::Result<core::Target> TargetToLookUp(const core::Targets& targets, const core::Family& family,
                                          std::string_view gfx, int cu_num) {
  const auto named = core::NamedTarget(targets.devices(), gfx);
  if (!named.ok()) return named.error();
  core::Target target{named->gfx, 0};
  if (family.cu_num == core::kNoColumn) return target;
  if (cu_num < 0 || cu_num > core::kMaxCuNum) {
    return core::Error{"bad_cu_num",
                       fmt::format("{} is no CU count within 1..{}", cu_num, core::kMaxCuNum)};
  }
  const core::GpuArch* const arch = targets.Find(target.gfx);
  target.cu_num = cu_num > 0 ? cu_num : named->cu_num;
  if (target.cu_num == 0 && arch != nullptr) target.cu_num = arch->default_cu_num;
  if (target.cu_num > 0) return target;
  return core::Error{
      "bad_cu_num",
      fmt::format("the CU count is missing, and {} has no usual CU count", target.gfx)};
}

}  // namespace tunehub::lookup
