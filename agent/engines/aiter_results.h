// What AITER's tune scripts print (progress, the summary at the end, the report of --run_config),
// and the tables that they leave behind, as rows that can be pushed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::agent {

// What the scripts print; unknown lines are passed over.
struct AiterProgress {
  int batches_done = 0, batches = 0;  // 0: not said yet
  double percent = 0;
  std::string last;  // the last result line, as printed; "" where none is
};

// "processed 3 batches of 8, Processing Status ====> 37.5% tuned in GemmA8W8Tuner", and result
// lines ("Tuning result for ..."). True where the line changed `progress`.
bool ReadProgress(std::string_view line, AiterProgress& progress);

// What a report is of, by the heading above it.
enum class AiterReportOf {
  kUnsaid,
  kDefault,  // --run_config without a table, and what --compare runs before it tunes
  kTuned,
};

// One shape of --run_config, or of --compare.
struct AiterTiming {
  AiterReportOf of = AiterReportOf::kUnsaid;
  std::map<std::string, std::string> keys;  // by AITER's column names
  std::optional<double> us;                 // of a shape that ran
  std::string status;                       // "OK", "ERROR", "MISMATCH"
  std::string reason;
};

// Reads a report line by line.
class AiterReportReader {
 public:
  void Add(std::string_view line);
  const std::vector<AiterTiming>& timings() const { return timings_; }

 private:
  std::vector<AiterTiming> timings_;
  AiterReportOf of_ = AiterReportOf::kUnsaid;
  bool open_ = false;  // `keys:` and `reason:` of the last timing may follow
};

// What AITER's benches time, its operators, as rows for a hub: of defaults, which name no kernel,
// and of tuned rows. A hub makes speed-ups of them and serves none.
struct OperatorRows {
  std::string json;      // the body of POST /results; "": no row
  std::size_t rows = 0;  // of these a GPU is known, and the operator ran right
};

// `here`: the GPU of a report that names none; its gfx may be "".
OperatorRows DefaultRows(const core::Family& family, const std::vector<AiterTiming>& timings,
                         const core::Target& here);

// With the kernels of `tuned`, AITER's tuned table that was run. Errors: those of reading it.
core::Result<OperatorRows> TunedOperatorRows(const core::Family& family,
                                             const core::Targets& targets,
                                             const std::vector<AiterTiming>& timings,
                                             std::string_view tuned, const core::Target& here);

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
