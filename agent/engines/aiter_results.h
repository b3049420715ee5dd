// The tables that a tune script leaves behind, as rows that can be pushed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agent/engines/aiter_output.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::agent {

enum class AiterOutcome {
  kComplete,  // every shape has a row
  kPartial,   // some shapes failed; AITER says so with exit code 1
  kEnded,     // somebody asked for it; what was written is read
  kTimedOut,  // the limit, or silence for too long: the process group was killed
  kCrashed,   // a signal ended it twice
  kExited,    // any other exit code
};
const char* Name(AiterOutcome outcome);

struct AiterReport {
  AiterOutcome outcome = AiterOutcome::kComplete;
  std::string ended;  // "exit code 1", "signal 11": of the last start
  int starts = 0;
  double seconds = 0;
  std::size_t shapes = 0, tuned = 0;
  std::vector<std::vector<std::string>> missing;  // shapes without a row
  std::size_t candidates = 0;                     // in AiterRun::candidates_csv
  std::size_t rejected = 0;                       // of these above the run's errRatio
  std::size_t failed = 0;            // candidates without a time: unsupported, faulted, timed out
  std::size_t stage_rows = 0;        // of one stage of a fused MoE: rows of the profile file only
  std::vector<std::string> remarks;  // rows that could not be read
  std::vector<std::filesystem::path> files;  // untuned, tuned, profile, logs
};
nlohmann::ordered_json ToJson(const AiterReport& report);

// Both tables have the family's canonical header. Rows above the errRatio of the run are among the
// candidates, so that what was measured is kept; a run that is pushed with that error_limit has
// them quarantined, and none can win. They are never among the tuned rows.
struct AiterRun {
  std::string tuned_csv;            // the winners; "" without any
  std::string candidates_csv;       // every candidate with a time, winners included; "" without any
  std::vector<AiterTiming> before;  // with `-- --compare`: what its bench before tuning timed
  AiterReport report;
};

// Every timing of a bench. `csv`: the family's untuned columns, us, status; us is empty where the
// operator did not run.
struct AiterBench {
  std::vector<AiterTiming> timings;
  std::string csv;
  AiterReport report;  // tuned: shapes with a time
};

// `tuned` and `profile` are texts of AITER's tables, "" where the file is not there. Fills the
// counts of `run.report`. Errors: bad_aiter_table.
core::Status ReadAiterTables(const core::Family& family, const core::Targets& targets,
                             double err_ratio, const std::vector<std::vector<std::string>>& shapes,
                             std::string_view tuned, std::string_view profile, AiterRun& run);

}  // namespace tunehub::agent
