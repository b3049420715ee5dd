// The `modules` of a family file.
#pragma once

#include "core/family.h"
#include "core/json_object.h"

namespace tunehub::core {

// Precondition: the columns are known.
void ParseModules(JsonObject& json, Family& family);

}  // namespace tunehub::core
