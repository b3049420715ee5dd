#include "core/row/target_name.h"

#include <fmt/core.h>

#include "core/base/excerpt.h"
#include "core/row/cell.h"

namespace tunehub::core {

Result<Target> NamedTarget(const Devices& devices, std::string_view name) {
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

}  // namespace tunehub::core
