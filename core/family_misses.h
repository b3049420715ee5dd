// The member "misses" of a family file: the lines of AITER's log that ask for a row.
#pragma once

#include "core/family.h"
#include "core/json_object.h"

namespace tunehub::core {

// Precondition: the columns and untuned columns of `family` are read. What is wrong is added to the
// errors of `json`: a line that leaves a column of the untuned table open, an unknown column.
void ParseMisses(JsonObject& json, Family& family);

}  // namespace tunehub::core
