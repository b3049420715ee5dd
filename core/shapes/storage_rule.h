// One entry of a list of modules, made from its text.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/shapes/quantization.h"

namespace tunehub::core {

// Error bad_pattern: why it cannot be read.
Result<StorageRule> RuleOf(Naming naming, const std::string& entry, const Stored& stored);

}  // namespace tunehub::core
