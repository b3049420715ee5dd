// Rows as a reader's file or tree, in the place of a table.
#pragma once

#include <functional>
#include <vector>

#include "core/base/result.h"
#include "server/service/files/file_rows.h"
#include "server/service/tables/table_bytes.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {

// What was measured of these keys, by any run.
using ReadMeasured = std::function<MeasuredConfigs(const std::vector<core::Hash128>& keys)>;

// Precondition: query.form. `measured`: where the query has chosen among candidates; pins look
// there for the times of the default. Headers: Tunehub-Files (of a
// tree), Tunehub-Pinned (where pins are asked for), Tunehub-Borrowed-Rows and
// Tunehub-Not-Borrowed-Rows, where there are such. Errors: no_rows, not_borrowed (all rows are of
// another engine that counts N in another way), other_columns (of a revision from before the family
// got its columns), and those of FileBytes and TreeBytes.
core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query,
                                   const ReadMeasured& measured = {});

}  // namespace tunehub::service
