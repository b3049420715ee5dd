// Narrows an answer to a model's rows, and leaves out rows that no padded lookup needs. Checks that
// a model's lookups find rows for its shapes.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/result.h"
#include "core/lookup/table.h"
#include "server/snapshots/definitions.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Returns the rows as a table for lookups. The rows must outlive this table, which contains views
// of their lines.
lookup::Table LookupTable(const RowSet& set);

struct Narrowed {
  RowSet set;
  std::size_t pruned = 0;  // rows left out because no lookup needs them
  // the refusal by `require`; null: the lookups find all shapes
  std::shared_ptr<const Uncovered> uncovered;
};

// `set`: the rows that the query selected. Errors: no_rows (the model uses none of them),
// unknown_model, those of core::ModelShapes.
core::Result<Narrowed> Narrow(RowSet set, const TunedQuery& query, const Definitions& definitions);

}  // namespace tunehub::server
