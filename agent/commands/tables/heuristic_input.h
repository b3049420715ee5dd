// The tuned tables that a heuristic is scored on or learned from.
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
