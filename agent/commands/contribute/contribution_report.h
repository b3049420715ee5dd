// What `contribute` says.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "agent/commands/contribute/contribution.h"

namespace tunehub::agent {

// A line a file, then what was left out by its reason.
void PrintContribution(std::ostream& out, const Contribution& contribution);

// {"files": [{"path", "new", "family", "rows": [{"key", "us", "before_us", "line"}],
//   "notes": [...]}],
//  "left_out": [{"family", "key", "code", "detail"}], "checked": [...], "warnings": [...]}
nlohmann::ordered_json ContributionJson(const Contribution& contribution);

}  // namespace tunehub::agent
