// The rows of a batch: made of what was read and judged, checked, and folded to one row per (key,
// provider, candidate). What is folded away is counted, never silent.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/row/row.h"
#include "server/db/provider.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/receipt.h"
#include "server/ingest/submission.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

struct RowOrigin {
  std::optional<Provider> provider;  // of the run
  std::size_t file = 0;              // among those of the batch
  // The rows come from a key without scope admin: results, and imports that are not upstream's own,
  // which compete as AITER lets them. read_family_measurements.sql says the same.
  bool judges_kernels = false;
};

// The rows of a table or body, with what is said beside them. What was read is counted in `report`.
std::vector<StagedRow> StageRows(const Definitions& definitions, const core::Family& family,
                                 Submission submission, const RowOrigin& origin,
                                 FileReport& report);

// Error key_limited: rows are not what the writer's key is limited to. Garbled rows have no target
// and are never served.
core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<StagedRow>& rows);

// Sorted by key, the best of each key marked.
struct Folded {
  std::vector<StagedRow> rows;
  std::vector<std::size_t> folded_per_file;
  std::vector<std::size_t> folded_competing_per_file;  // those of them that are not quarantined
};

// Of several rows of one candidate on one key the best by the winner rule stays (within a run the
// lowest time). `files`: how many files the rows came from.
Folded Fold(std::vector<StagedRow> rows, std::size_t files);

// The jobs that measure the shapes of `rows`, all of one target, again. A family without a time is
// left out: nobody measures it.
std::vector<JobContent> JobsToMeasureAgain(const Definitions& definitions,
                                           const std::vector<const StagedRow*>& rows,
                                           const std::vector<JobContent>& open);

// One warning (compiled_twin), behind the others of its report, for each row that a table which is
// compiled in cannot tell from another row or from a served one, such as int8 and fp8 of one shape:
// its key lacks a column, and the last row of a shape is the one that counts there. Waits a moment
// for what was written last.
void WarnOfTwins(const Definitions& definitions, const Snapshots& served,
                 const std::vector<StagedRow>& rows, std::vector<FileReport>& reports);

}  // namespace tunehub::server
