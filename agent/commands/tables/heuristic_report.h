// What `tunehub-agent heuristic` says.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <vector>

#include "agent/commands/tables/heuristic_input.h"
#include "core/analysis/heuristic.h"
#include "core/analysis/model_score.h"
#include "core/analysis/score.h"

namespace tunehub::agent {

// A heuristic's score, and beside it what always giving one answer scores.
struct Rated {
  std::string name;
  analysis::Score score;
};

// {"family", "target", "rows", ...}: what both reports begin with.
nlohmann::ordered_json InputJson(const HeuristicInput& input);
// As a table: a column per rated one, a line per bucket of M.
void PrintRated(std::ostream& out, const HeuristicInput& input, const std::vector<Rated>& rated);
// A size that several configurations have counts in each of them.
analysis::Tally TotalOf(const std::vector<analysis::ModelTally>& models);
// As a table: a line per configuration, and their total.
void PrintModels(std::ostream& out, const std::vector<analysis::ModelTally>& models);
nlohmann::ordered_json ModelsJson(const std::vector<analysis::ModelTally>& models);
void PrintThreeWay(std::ostream& out, const analysis::Samples& samples,
                   const analysis::ThreeWay& compared);

// The tuned rows' candidate with id 0: what a build's first kernel would score if it ran always.
// Null where the family has no ids or no row has that one.
const analysis::Choice* KernelZero(const analysis::Samples& samples);

}  // namespace tunehub::agent
