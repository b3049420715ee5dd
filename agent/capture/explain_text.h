// What `explain` says, for people and for programs.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/capture/explanation.h"
#include "agent/capture/next_steps.h"

namespace tunehub::agent {

// In lines of about a hundred columns. `all`: every shape in place of the most frequent groups.
void PrintExplanation(std::ostream& out, const Configuration& configuration,
                      const std::vector<std::string>& logs, const Explanation& explanation,
                      std::span<const NextStep> steps, bool all);

// {"lines": 9, "misses": 7, ..., "target": {"gfx": "gfx942", "cu_num": 304, "from": "options"},
//  "rows_from": "http://hub:8080", "families": [{"family": "a8w8", "gfx": ..., "cu_num": ...,
//  "shapes": 6, "count": 7, "tuned": 4, "baseline": 0, "unmeasured": 0, "missing": 2, "to_tune": 1,
//  "targets": [{"gfx", "cu_num", "rows"}], "needs": [{"module", "dispatch", "state", "rows"}],
//  "groups": [{"shape": {"N": "1280"}, "from", "to", "shapes", "count", "tuned"}], "missed":
//  [{"shape": {...}, "count", "state", "row"}]}], "next": [{"why", "commands": [...]}], "error":
//  null or {"code", "detail"}}. What was not looked for is null.
nlohmann::ordered_json ExplanationJson(const Explanation& explanation,
                                       std::span<const NextStep> steps);

}  // namespace tunehub::agent
