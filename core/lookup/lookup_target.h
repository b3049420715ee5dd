// The target whose rows a lookup compares.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/shapes/shape.h"

namespace tunehub::lookup {

// `gfx`: as core::NamedTarget takes it; cu_num 0: the product's, else the usual one of the gfx, and
// of a family without CU counts none. Errors: bad_gfx, bad_cu_num.
core::Result<core::Target> TargetToLookUp(const core::Targets& targets, const core::Family& family,
                                          std::string_view gfx, int cu_num);

}  // namespace tunehub::lookup
