#include "server/api/target_parameters.h"

#include <fmt/core.h>

#include "core/row/target_name.h"
#include "server/api/parameters.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxGfxBytes = 128;  // with its features: gfx942:sramecc+:xnack-

}  // namespace

core::Result<core::Target> DemandTargetOf(const Services& services, const http::RequestHead& head) {
  core::Target target;
  const auto gfx = TextParameter(head, "gfx", kMaxGfxBytes);
  if (!gfx.ok()) return gfx.error();
  if (*gfx) {
    auto named = core::NamedTarget(services.definitions.targets.devices(), **gfx);
    if (!named.ok()) return core::Error{"bad_parameter", "gfx: " + named.error().detail};
    target = *std::move(named);
  }
  const auto cu_num = NumberParameter(head, "cu_num", 1, core::kMaxCuNum);
  if (!cu_num.ok()) return cu_num.error();
  if (*cu_num) target.cu_num = static_cast<int>(**cu_num);
  return target;
}

core::Result<core::Target> OneTarget(const Services& services, const core::Family& family,
                                     const http::RequestHead& head) {
  auto target = DemandTargetOf(services, head);
  if (!target.ok()) return target;
  if (target->gfx.empty()) return core::Error{"bad_parameter", "gfx: is missing"};
  if (family.cu_num == core::kNoColumn) {
    target->cu_num = 0;
    return target;
  }
  if (target->cu_num > 0) return target;
  const core::GpuArch* const arch = services.definitions.targets.Find(target->gfx);
  if (arch != nullptr) target->cu_num = arch->default_cu_num;
  if (target->cu_num > 0) return target;
  return core::Error{"bad_parameter",
                     fmt::format("cu_num: is missing, and {} has no usual CU count", target->gfx)};
}

}  // namespace tunehub::api
