// The members "misses" and "hits" of a family file: the lines of AITER's log that ask for a row and
// find none, or find one.
#pragma once

#include <vector>

#include "core/base/json_object.h"
#include "core/family/family.h"

namespace tunehub::core {

// Precondition: the columns and untuned columns of `family` are read. What is wrong is added to the
// errors of `json`: a line that leaves a column of the untuned table open, an unknown column. The
// hits are looked at, and not kept: one command reads them.
void ParseMisses(JsonObject& json, Family& family);

// The lines by which a log says which row was found: its key, and what of its config they name.
// None for a family whose lookups say nothing.
std::vector<MissLine> HitLinesOf(const Family& family);

}  // namespace tunehub::core
