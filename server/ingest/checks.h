// Judges the kernels of what comes from a key without scope admin: results, and imports that are
// not upstream's own, which compete as AITER lets them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/row/row_issue.h"
#include "core/table/tuned_table.h"
#include "server/db/writer.h"
#include "server/ingest/batch_records.h"
#include "server/ingest/batch_rules.h"
#include "server/ingest/receipt.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Rejects the rows that name another family's kernel, as kernel_of_another_family, and demotes
// those whose kernel or libtype nobody lists (core/row/known_kernel.h). Garbled rows stay as they
// are: nobody can say which kernel they name. Answers the places that the rows left had before.
std::vector<std::size_t> JudgeKernels(const core::Families& families, const core::Family& family,
                                      core::TunedTable& table);

// Whether rows are what the writer's key is limited to.

// Garbled rows have no target and are never served. Error key_limited.
core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<StagedRow>& rows);

// The refusal of an import that would withdraw much of its source.

// Error would_shrink, with the counts and the first keys that would go.
WriteAnswer RefuseShrinkage(const core::Families& families, const std::string& source,
                            const Shrinkage& shrinkage);

// What a batch says against candidates that earlier runs measured: in words, and what follows from
// it.

// Adds to the reports, one per file, which rows withdraw a candidate, and which put one in doubt.
// `rows`: those of the batch.
void DescribeObjections(const BatchOutcome& outcome, const std::vector<StagedRow>& rows,
                        std::vector<FileReport>& reports);

// The jobs that measure the shapes of `rows`, all of one target, again. A family without a time is
// left out: nobody measures it.
std::vector<JobContent> JobsToMeasureAgain(const Definitions& definitions,
                                           const std::vector<const StagedRow*>& rows,
                                           const std::vector<JobContent>& open);

// Rows that a table which is compiled in cannot tell apart, such as int8 and fp8 of one shape: its
// key lacks a column, and the last row of a shape is the one that counts there.

// Waits a moment for what was written last. One warning (compiled_twin) for each row that has such
// a twin among the others or among those that are served; one list per file.
std::vector<std::vector<core::RowIssue>> CompiledTwins(const Definitions& definitions,
                                                       const Snapshots& served,
                                                       const std::vector<StagedRow>& rows,
                                                       std::size_t files);

}  // namespace tunehub::server
