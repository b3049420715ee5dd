// The family files and targets.json that the library carries: configs/ as it was at the build.
#pragma once

#include <memory>
#include <vector>

#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::th {

// A build whose files are bad does not get this far: a test reads them.
const std::vector<std::shared_ptr<const core::Family>>& BuiltInFamilies();
const core::Targets& BuiltInTargets();

}  // namespace tunehub::th
