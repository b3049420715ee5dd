// What a row is tuned for, whichever way its family says it.
#pragma once

#include <string_view>

#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::core {

// The target of rows of a device that nobody knows: they are kept under its name alone.
inline constexpr std::string_view kUnknownGfx = "unknown";

// By the row's gfx and CU count (0: the family has none), or by what is known of its device.
Target TargetOf(const Family& family, const Targets& targets, const Cells& cells);

// The row's own gfx; "" in a family of devices.
std::string_view GfxOf(const Family& family, const Cells& cells);

// Writes a target into the columns that the family has for it. `cu_num` "": none.
void PutTarget(const Family& family, std::string_view gfx, std::string_view cu_num, Cells& cells);

}  // namespace tunehub::core
