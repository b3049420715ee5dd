// The parts of a family file that refer to its columns by name: metric, lookup, signature, heat
// map.
#pragma once

#include <string_view>

#include "core/base/json_object.h"
#include "core/family/family.h"

namespace tunehub::core {

// 1 to 64 of a-z, 0-9 and _.
bool IsModuleName(std::string_view text);

// Precondition: the columns are known.
void ParseModules(JsonObject& json, Family& family);

// Precondition: the columns of `family` are read. What is wrong is added to the errors of `json`.
void ParseSections(JsonObject& json, Family& family);

}  // namespace tunehub::core
