// Turns the rows that were read into a batch: judges and checks them, and folds them to one row per
// (key, provider, candidate). The report counts folded rows.
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
  std::size_t file = 0;              // index of the batch's file
  // The key is no admin's, or the import is not upstream's own: its kernels are judged.
  // read_family_measurements.sql states the same rule.
  bool judges_kernels = false;
};

// The rows of a table or body with their evidence and marks. Adds counts and remarks to `report`.
std::vector<StagedRow> StageRows(const Definitions& definitions, const core::Family& family,
                                 Submission submission, const RowOrigin& origin,
                                 FileReport& report);

// Error key_limited: the writer's key does not cover the rows. Garbled rows have no target and are
// never served, so they pass.
core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<StagedRow>& rows);

// The rows sorted by key, the best of each key marked.
struct Folded {
  std::vector<StagedRow> rows;
  std::vector<std::size_t> folded_per_file;
  std::vector<std::size_t> folded_competing_per_file;  // those that are not quarantined
};

// Keeps, of several rows of one candidate on one key, the best by the winner rule: the lowest time.
// `files`: the number of files.
Folded Fold(std::vector<StagedRow> rows, std::size_t files);

// The jobs that measure the shapes of `rows` again; all are of one target. Skips families without a
// time.
std::vector<JobContent> JobsToMeasureAgain(const Definitions& definitions,
                                           const std::vector<const StagedRow*>& rows,
                                           const std::vector<JobContent>& open);

// Appends a warning (compiled_twin) for each row that a compiled table confuses with another or
// served row. Such a table lacks a key column (int8 and fp8 of one shape); the last row of a shape
// counts. Waits a moment for the latest writes.
void WarnOfTwins(const Definitions& definitions, const Snapshots& served,
                 const std::vector<StagedRow>& rows, std::vector<FileReport>& reports);

}  // namespace tunehub::server
