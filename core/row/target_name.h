// A target by the name that a person has for it.
#pragma once

#include <fmt/core.h>

#include <string_view>

#include "core/base/excerpt.h"
#include "core/base/result.h"
#include "core/family/devices.h"
#include "core/row/cell.h"
#include "core/row/target.h"

namespace tunehub::core {

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

}  // namespace tunehub::core
