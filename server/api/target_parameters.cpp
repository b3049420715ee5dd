#include "server/api/target_parameters.h"

#include <fmt/core.h>

#include "core/row/cell.h"
#include "server/api/parameters.h"
#include "server/service/registry/bad_parameter.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kMaxGfxBytes = 128;  // with its features: gfx942:sramecc+:xnack-

}  // namespace

core::Result<core::Target> DemandTargetOf(const http::RequestHead& head) {
  core::Target target;
  const auto gfx = TextParameter(head, "gfx", kMaxGfxBytes);
  if (!gfx.ok()) return gfx.error();
  if (*gfx) {
    const auto canonical = core::CanonicalGfx(**gfx);
    if (!canonical) {
      return service::BadParameter("gfx", **gfx, "is no target name such as gfx942");
    }
    target.gfx = *canonical;
  }
  const auto cu_num = NumberParameter(head, "cu_num", 1, core::kMaxCuNum);
  if (!cu_num.ok()) return cu_num.error();
  target.cu_num = static_cast<int>(cu_num->value_or(0));
  return target;
}

core::Result<core::Target> OneTarget(const Services& services, const core::Family& family,
                                     const http::RequestHead& head) {
  auto target = DemandTargetOf(head);
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
