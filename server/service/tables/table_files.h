// Rows as a reader's file or tree, in the place of a table.
#pragma once

#include "core/base/result.h"
#include "server/service/tables/table_bytes.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {

// Precondition: query.form. Headers: Tunehub-Files (of a tree), Tunehub-Borrowed-Rows and
// Tunehub-Not-Borrowed-Rows, where there are such. Errors: no_rows, not_borrowed (all rows are of
// another engine that counts N in another way), other_columns (of a revision from before the family
// got its columns), and those of FileBytes and TreeBytes.
core::Result<TableBytes> MakeFiles(const RowSet& set, const TunedQuery& query);

}  // namespace tunehub::service
