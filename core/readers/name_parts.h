// The parts of a reader's file names, as the reader files write them.
#pragma once

#include <map>
#include <string>

#include "core/base/json_object.h"
#include "core/readers/reader.h"

namespace tunehub::core {

// {"text": ",dtype={dtype}", "optional": true} or {"text": "_down", "sets": {"down": "1"}}.
NamePart ParsePart(JsonObject& json, const Family& family);
// Cells by their column's name, canonical.
std::map<std::size_t, std::string> ParseSets(JsonObject json, const Family& family);

}  // namespace tunehub::core
