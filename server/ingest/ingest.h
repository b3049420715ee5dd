// Writes to the registry: results of one family, and imports of many files.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/archive.h"
#include "core/base/histogram.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/ingest/batch_groups.h"
#include "server/ingest/receipt.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Counters of this server since its start, for metrics.
struct IngestFigures {
  // Seconds. The buckets are for batches from one row to a whole tree.
  static constexpr double kSeconds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                        0.5,   1,    2.5,   5,    10,  30};

  // Numbers of rows in stored batches.
  std::atomic<std::uint64_t> stored{0}, unchanged{0}, folded{0}, rejected{0};
  std::atomic<std::uint64_t> quarantined{0};             // stored rows that the hub never serves
  core::Histogram results{kSeconds}, imports{kSeconds};  // seconds; refused requests count, too

  // Counts a batch when the hub stores it for the first time.
  void Count(const std::vector<FileReport>& reports, const BatchOutcome& outcome) {
    for (const FileReport& report : reports) {
      folded += report.folded;
      rejected += report.rejected.size();
      quarantined += report.quarantined.size();
    }
    stored += SumOf(outcome.families).stored;
    unchanged += outcome.unchanged;
    rejected += outcome.contradicting.size();
  }
};

class Ingest {
 public:
  Ingest(const Definitions& definitions, ConnectionPool& pool, Snapshots& snapshots)
      : batches(pool), definitions_(definitions), pool_(pool), snapshots_(snapshots) {}

  // Refusals: those of submission.h, unknown_run, not_owner, key_limited, idempotency_key_reused,
  // rejected_rows (if atomic), imports_only (for the family of unlisted tables).
  WriteAnswer Results(const core::Family& family, std::string_view body, BodyFormat format,
                      std::optional<std::int64_t> run, const WriteRequest& write);

  // Replaces the earlier imports of `source`; "": replaces no import. `about` describes the run.
  // Each import is a separate run, even with the same `about`. Refusals:
  // - nothing_to_import, too_many_rows, too_many_tables, not_owner, key_limited, would_shrink
  // - rejected_rows, if atomic
  // - refused_files: a file is unreadable, and the import is atomic or would replace an earlier one
  WriteAnswer Import(const std::string& source, const std::vector<core::TarFile>& files,
                     const WriteRequest& write,
                     const std::optional<RunContent>& about = std::nullopt);

  const IngestFigures& figures() const { return figures_; }

  BatchStore batches;
  BatchGroups groups{batches};

 private:
  WriteAnswer Commit(BatchRequest request, std::vector<StagedRow> rows,
                     std::vector<FileReport>& reports);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  Snapshots& snapshots_;
  IngestFigures figures_;
};

}  // namespace tunehub::server
