// What a heuristic is read from, and the tuned tables that it is scored on or learned from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/commands/tables/command_heuristic.h"
#include "core/analysis/samples.h"
#include "core/base/result.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
