// What an answer leaves out beyond row filters, and what it promises: the rows of a model, rows
// that the padded lookup does not need, and that a model finds all it asks for.
#pragma once

#include <cstddef>
#include <memory>

#include "core/base/result.h"
#include "core/lookup/table.h"
#include "server/snapshots/definitions.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// The rows of a set as AITER looks them up. It views their lines, which must outlive it.
lookup::Table LookupTable(const RowSet& set);

struct Narrowed {
  RowSet set;
  std::size_t pruned = 0;                      // rows that were left out as not needed
  std::shared_ptr<const Uncovered> uncovered;  // of `require`; null: everything is found
};

// `set` is what the query selected. Errors: no_rows (of the model), unknown_model, and those of
// core::ModelShapes.
core::Result<Narrowed> Narrow(RowSet set, const TunedQuery& query, const Definitions& definitions);

}  // namespace tunehub::server
