// What AITER's tune scripts print: progress, the summary at the end, the report of --run_config.
// Pure; every unknown line is passed over.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/row/target.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
