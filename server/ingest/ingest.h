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
#include "server/ingest/batch_lines.h"
#include "server/ingest/receipt.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// What this server has taken in since its start, for figures.
struct IngestFigures {
  // From a row to a whole tree.
  static constexpr double kSeconds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                        0.5,   1,    2.5,   5,    10,  30};

  // Rows of batches that were stored.
  std::atomic<std::uint64_t> stored{0}, unchanged{0}, folded{0}, rejected{0};
  std::atomic<std::uint64_t> quarantined{0};             // of the stored ones: never served
  core::Histogram results{kSeconds}, imports{kSeconds};  // seconds, refused ones among them

  // A batch that the store took for the first time, and keeps.
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

  // Refusals: those of the readers, unknown_run, not_owner, key_limited, idempotency_key_reused,
  // rejected_rows (atomic), imports_only (of the family whose rows are lines of other tables).
  WriteAnswer Results(const core::Family& family, std::string_view body, BodyFormat format,
                      std::optional<std::int64_t> run, const WriteRequest& write);

  // Refusals: nothing_to_import, too_many_rows, too_many_tables, refused_files (atomic, or where an
  // earlier import of the source would lose the rows of a file that cannot be read), rejected_rows
  // (atomic), not_owner, key_limited, would_shrink. `source` "": none, nothing is superseded.
  // `about`: what is known of the run of these rows; each import is a run of its own, also where
  // another says the same of itself.
  WriteAnswer Import(const std::string& source, const std::vector<core::TarFile>& files,
                     const WriteRequest& write,
                     const std::optional<RunContent>& about = std::nullopt);

  const IngestFigures& figures() const { return figures_; }

  BatchStore batches;
  BatchLines lines{batches};

 private:
  WriteAnswer Commit(BatchRequest request, std::vector<StagedRow> rows,
                     std::vector<FileReport>& reports);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  Snapshots& snapshots_;
  IngestFigures figures_;
};

}  // namespace tunehub::server
