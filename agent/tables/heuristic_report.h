// What `tunehub-agent heuristic` says.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "agent/tables/commands.h"
#include "core/analysis/heuristic.h"
#include "core/analysis/samples.h"
#include "core/analysis/score.h"
#include "core/base/result.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// What a heuristic is read from, and the tuned tables that it is scored on or learned from.
struct HeuristicInput {
  const core::Family* family = nullptr;
  std::string gfx;
  int cu_num = 0;                 // 0: several
  std::size_t other_targets = 0;  // rows left out
  std::unique_ptr<analysis::Samples> samples;
};

// The file that --tree names, else what people wrote down for the family. Errors: those of
// core::FileBytes and analysis::ParseHeuristic; no_heuristic.
core::Result<analysis::Heuristic> FindHeuristic(const Configuration& configuration,
                                                const HeuristicOptions& options,
                                                const core::Family& family);

// Fills samples.fallback: the candidate whose kernel --default names, else `known`. Error
// no_candidate: not one candidate of the rows runs that kernel.
core::Status FindUntuned(const HeuristicOptions& options,
                         const std::optional<analysis::Choice>& known, analysis::Samples& samples);

// The rows of one target: that of the options, else the one that `wanted` is for, else the only one
// there is. Errors: those of core::FileBytes, CommonFamily and core::ReadTunedTable, each with the
// file; several_targets (names them), no_rows.
class HeuristicTables {
 public:
  static core::Result<HeuristicTables> Read(const Configuration& configuration,
                                            const HeuristicOptions& options);

  const core::Family& family() const { return *family_; }
  // Rows of one target; `wanted`: what the heuristic to be scored is for, may be null.
  core::Result<HeuristicInput> Of(const HeuristicOptions& options,
                                  const analysis::Heuristic* wanted) const;

 private:
  const core::Family* family_ = nullptr;
  std::vector<core::TunedTable> tables_;
};

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

}  // namespace tunehub::agent
