// What `explain` says, for people and for programs.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
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

// Prose, which ends a line.
void PrintWrapped(std::ostream& out, std::string_view indent, std::string_view text);

// A shell's command, broken where a shell goes on with the next line: an option keeps its value
// beside it, and a command its name.
void PrintCommand(std::ostream& out, std::string_view line);

// "1 shape", "2 shapes"
std::string Counted(std::size_t count, std::string_view one, std::string_view many);

// What they need, where they are although none is found, and what is missing.
void PrintRows(std::ostream& out, const core::Targets& targets, const FamilyPart& part);

}  // namespace tunehub::agent
