// Narrows an answer to a model's rows, and prunes rows that no padded lookup needs. Checks that a
// model finds its shapes.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/result.h"
#include "core/lookup/table.h"
#include "server/snapshots/definitions.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// The rows as AITER's lookup sees them. The rows must outlive the table, which views their lines.
lookup::Table LookupTable(const RowSet& set);

struct Narrowed {
  RowSet set;
  std::size_t pruned = 0;                      // rows left out because no lookup needs them
  std::shared_ptr<const Uncovered> uncovered;  // of `require`; null: all shapes are found
};

// `set`: the rows that the query selected. Errors: no_rows (the model has none), unknown_model,
// those of core::ModelShapes.
core::Result<Narrowed> Narrow(RowSet set, const TunedQuery& query, const Definitions& definitions);

}  // namespace tunehub::server
