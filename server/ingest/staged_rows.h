// Makes a batch from the rows of a body. Judges and checks the rows, and keeps one row per (shape
// key, provider, candidate). The report counts the dropped rows as folded.
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
  std::optional<Provider> provider;  // the run's provider
  std::size_t file = 0;              // index of the batch's file
  // True if kernels of other families make rows unmeasured (KernelJudge). This is so if the API key
  // is not an admin's, or the import is not from upstream. read_family_measurements.sql contains
  // the same rule.
  bool judges_kernels = false;
};

// Returns the rows of a table or body with their evidence and marks. Adds counts and remarks to
// `report`.
std::vector<StagedRow> StageRows(const Definitions& definitions, const core::Family& family,
                                 Submission submission, const RowOrigin& origin,
                                 FileReport& report);

// Errors: key_limited (the limits of the writer's API key do not allow the rows). Accepts garbled
// rows, because they have no target and the hub never serves them.
core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<StagedRow>& rows);

// The rows, sorted by shape key. The best row of each key and provider has a mark.
struct Folded {
  std::vector<StagedRow> rows;
  std::vector<std::size_t> folded_per_file;
  std::vector<std::size_t> folded_competing_per_file;  // folded rows that are not quarantined
};

// Keeps only the best row of each candidate and shape key by the winner rule (the lowest time).
// `files`: the number of files.
Folded Fold(std::vector<StagedRow> rows, std::size_t files);

// Returns jobs that repeat the measurements of `rows`, without shapes of `open` jobs. Precondition:
// all rows have one target. Skips families without a time.
std::vector<JobContent> JobsToVerifyRows(const Definitions& definitions,
                                         const std::vector<const StagedRow*>& rows,
                                         const std::vector<JobContent>& open);

// Error not_of_job: one of `rows` is not of a shape of `job`. The detail names its line.
core::Status CheckOfJob(const Definitions& definitions, const JobContent& job,
                        const std::vector<StagedRow>& rows);

// Appends a warning (compiled_twin) for each row that a compiled table confuses with another row of
// the batch or with a served row. A compiled table lacks a key column, so int8 and fp8 rows of a
// shape look equal to it. It uses the last row of a shape. This function waits a moment for the
// latest writes.
void WarnOfTwins(const Definitions& definitions, const Snapshots& served,
                 const std::vector<StagedRow>& rows, std::vector<FileReport>& reports);

}  // namespace tunehub::server
