// Times that nobody measured, as an installed table may have them.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "agent/base/configuration.h"

namespace tunehub::agent {

// Writes inf for every time of an unmeasured row that is 0 or below: AITER's own test of its tables
// refuses such a time, while its lookups do not read it, so that they find the row as before, and
// inf loses every merge and every comparison. Where a lookup compares times (Lookup::empty_matches)
// nothing is changed. `tables` is by the name inside aiter/configs; one that cannot be read stays
// as it is. Returns how many rows were changed.
std::size_t WriteUnmeasuredTimes(const Configuration& configuration,
                                 std::map<std::string, std::string>& tables);

}  // namespace tunehub::agent
