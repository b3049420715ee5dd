// Rows that a table which is compiled in cannot tell apart, such as int8 and fp8 of one shape: its
// key lacks a column, and the last row of a shape is the one that counts there.
#pragma once

#include <vector>

#include "core/row/row_issue.h"
#include "server/registry/fold.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"

namespace tunehub::service {

// Waits a moment for what was written last. One warning (compiled_twin) for each row that has such
// a twin among the others or among those that are served; one list per file.
std::vector<std::vector<core::RowIssue>> CompiledTwins(const Definitions& definitions,
                                                       const Snapshots& served,
                                                       const std::vector<registry::StagedRow>& rows,
                                                       std::size_t files);

}  // namespace tunehub::service
