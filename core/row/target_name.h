// A target by the name that a person has for it.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/family/devices.h"
#include "core/row/target.h"

namespace tunehub::core {

// Of a gfx, with its features stripped, the gfx with 0 CUs. Of a product, an alias or a PCI id of
// devices.json its gfx and CU count (0 where nobody knows that one). Errors bad_gfx, which begin
// with the name: it is neither, or several devices share it.
Result<Target> NamedTarget(const Devices& devices, std::string_view name);

}  // namespace tunehub::core
