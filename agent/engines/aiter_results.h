// Reads the output of AITER's tune scripts (progress, the report of --run_config) and their tables.
// Converts them to rows for the hub.
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

// Progress from the scripts' output. Ignores unknown lines.
struct AiterProgress {
  int batches_done = 0, batches = 0;  // 0: unknown
  double percent = 0;
  std::string last;  // the last result line, as printed; "": none yet
};

// Reads "processed 3 batches of 8, Processing Status ====> 37.5% tuned in GemmA8W8Tuner" and
// "Tuning result for ...". Returns true if the line changed `progress`.
bool ReadProgress(std::string_view line, AiterProgress& progress);

// The subject of a report, from the heading above it.
enum class AiterReportOf {
  kUnsaid,
  kDefault,  // a report of --run_config without a table, or of --compare before tuning
  kTuned,
};

// One shape's line of --run_config or --compare.
struct AiterTiming {
  AiterReportOf of = AiterReportOf::kUnsaid;
  std::map<std::string, std::string> keys;  // by AITER's column names
  std::optional<double> us;                 // absent: the shape did not run
  std::string status;                       // "OK", "ERROR", "MISMATCH"
  std::string reason;
};

class AiterReportReader {
 public:
  void Add(std::string_view line);
  const std::vector<AiterTiming>& timings() const { return timings_; }

 private:
  std::vector<AiterTiming> timings_;
  AiterReportOf of_ = AiterReportOf::kUnsaid;
  bool open_ = false;  // true: lines `keys:` and `reason:` of the last timing may follow
};

// Returns the reported times of defaults in a log. `is_before`: true for the log of a bench before
// tuning.
std::vector<AiterTiming> LoggedDefaults(std::string_view log, bool is_before);

// The default operator's microseconds by shape key, in canonical text. They are the references of
// other times of the same workflow.
using DefaultTimes = std::map<std::string, double>;
// `here`: the GPU for a report that names no GPU; its gfx may be "". Returns no times if the
// family's environment variable names a table, since the kernels of that table ran.
DefaultTimes DefaultTimesOf(const core::Family& family, const std::vector<AiterTiming>& timings,
                            const core::Target& here);

// Converts `csv`, a table with the family's header, into the body of POST /results. A row's
// us_reference is its default's time, if that is known. Errors: those of reading `csv`.
core::Result<std::string> CandidateRows(const core::Family& family, const core::Targets& targets,
                                        std::string_view csv, const DefaultTimes& defaults);

// Times of AITER's operators, as rows for a hub. Rows of defaults name no kernel; tuned rows name
// kernels. The hub uses these rows for speed-ups and does not serve them.
struct OperatorRows {
  std::string json;      // the body of POST /results; "": no row
  std::size_t rows = 0;  // correct results whose GPU is known
};

// `here`: as for DefaultTimesOf.
OperatorRows DefaultRows(const core::Family& family, const std::vector<AiterTiming>& timings,
                         const core::Target& here);

// Adds the kernels of `tuned`, the table of AITER's bench, and the defaults' times as us_reference.
// Errors: those of reading the table.
core::Result<OperatorRows> TunedOperatorRows(const core::Family& family,
                                             const core::Targets& targets,
                                             const std::vector<AiterTiming>& timings,
                                             std::string_view tuned, const core::Target& here,
                                             const DefaultTimes& defaults);

enum class ScriptOutcome {
  kComplete,  // every shape has a row
  kPartial,   // some shapes failed; AITER's exit code is 1 then
  kEnded,     // the user stopped the script; the rows that it wrote count
  kTimedOut,  // killed at the time limit, or after too much time without output
  kCrashed,   // a signal ended every start
  kExited,    // any other exit code
};
const char* Name(ScriptOutcome outcome);

struct ScriptReport {
  ScriptOutcome outcome = ScriptOutcome::kComplete;
  std::string ended;  // the last start's end: "exit code 1", "signal 11"
  int starts = 0;
  double seconds = 0;
  std::size_t shapes = 0, tuned = 0;
  std::vector<std::vector<std::string>> missing;  // shapes without a row
  std::size_t candidates = 0;                     // in AiterRun::candidates_csv
  std::size_t rejected = 0;                       // candidates above the run's errRatio
  std::size_t failed = 0;            // candidates without a time: unsupported, faulted, timed out
  std::size_t stage_rows = 0;        // rows of one stage of a fused MoE, in the profile file only
  std::vector<std::string> remarks;  // rows that could not be read
  std::vector<std::filesystem::path> files;  // untuned, tuned, profile, logs
};
nlohmann::ordered_json ToJson(const ScriptReport& report);

// Both tables have the family's canonical header. The candidates include rows above the run's
// errRatio. The hub gets that ratio as error_limit and quarantines such rows, so they cannot win.
// The tuned rows include no such rows.
struct AiterRun {
  std::string tuned_csv;            // the winners; "": none
  std::string candidates_csv;       // every candidate with a time, including the winners; "": none
  std::vector<AiterTiming> before;  // with `-- --compare`: the times before tuning
  ScriptReport report;
};

// The timings of a bench. `csv`: the family's untuned columns, us, status; us is empty if the
// operator did not run.
struct AiterBench {
  std::vector<AiterTiming> timings;
  std::string csv;
  ScriptReport report;  // tuned: shapes with a time
};

// `tuned` and `profile`: the texts of AITER's tables; "": the file is missing. Sets the counts of
// `run.report`. Errors: bad_aiter_table.
core::Status ReadAiterTables(const core::Family& family, const core::Targets& targets,
                             double err_ratio, const std::vector<std::vector<std::string>>& shapes,
                             std::string_view tuned, std::string_view profile, AiterRun& run);

}  // namespace tunehub::agent
