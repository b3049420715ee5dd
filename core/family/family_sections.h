// The parts of a family file that refer to its columns by name: metric, lookup, signature, heat
// map.
#pragma once

#include "core/base/json_object.h"
#include "core/family/family.h"

namespace tunehub::core {

// Precondition: the columns of `family` are read. What is wrong is added to the errors of `json`.
void ParseSections(JsonObject& json, Family& family);

}  // namespace tunehub::core
