// Rows for what nobody has tuned. AITER has no hook for a heuristic: a row of the table is how one
// reaches it, and being named in the table that a build compiles is how its kernel gets there.
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/builds/manifest.h"
#include "server/service/analysis/heuristics.h"
#include "server/service/registry/definitions.h"
#include "server/service/tables/table_bytes.h"
#include "server/service/tables/tuned_query.h"

namespace tunehub::service {

struct Filled {
  std::size_t rows = 0;
  std::size_t left_out = 0;  // of kernels that the build lacks
};

// Adds to what the query selected a row for each shape of its model, on each of its targets, for
// which AITER's lookup finds none, padded or not: a row beside a padded one would hide a measured
// time. Its time is inf, so that it loses every merge and every comparison. With a
// `manifest` only rows whose kernels are in it, under its own kernel numbers.
// Errors: too_few_rows (nothing is written down for a target, nor can be learned), unknown_model,
// those of core::ModelShapes, and no_heuristic where `heuristics` is null.
core::Result<Filled> Fill(RowSet& set, const TunedQuery& query, const Definitions& definitions,
                          Heuristics* heuristics, const core::Manifest* manifest);

}  // namespace tunehub::service
