// What `explain` says, for people and for programs, and what to type next.
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

namespace tunehub::agent {

// What to type next, complete: a line that is copied does what it says.
struct NextStep {
  std::string why;
  std::vector<std::string> lines;
};

// What of the command line the steps go on with.
struct StepContext {
  std::vector<std::string> logs;
  std::string hub;                       // "": none
  bool takes_demand = false;             // the hub: no files without a server
  std::vector<std::string> tables;       // as they were given
  std::string aiter;                     // the tree; "": none
  std::string output;                    // the folder that untuned tables were written to; "": none
  std::string family = {}, device = {};  // of what names none, as they were given
};

// "LOG --family F --device D", what reads the logs again as they were read.
std::string LogWords(const StepContext& context);

std::vector<NextStep> NextSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

// For files that an engine looked for.
std::vector<NextStep> FileSteps(const Configuration& configuration, const Explanation& explanation,
                                const StepContext& context);

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
