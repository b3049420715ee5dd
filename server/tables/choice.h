// Chooses the best candidate among some: only some libtypes, only some runs, or only small errors.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/build_rows.h"
#include "server/tables/measurement_store.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Returns a function for FitRows. The function reads the best rows of keys, among the candidates
// that the query allows. `runs`: only candidates of these runs count. The references must outlive
// the function.
ReadBest BestOthers(const TunedQuery& query, const FamilySnapshot& snapshot,
                    const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                    std::optional<RunClasses> runs = {});

struct ChosenSet {
  RowSet rows;
  ReadBest others;  // BestOthers of the same query
};

// The notes contain these counts:
// - If the query chooses runs by provenance: the selected candidates of matching, unknown and other
//   runs (Tunehub-Provenance, Tunehub-Unknown-Provenance).
// - If the query prefers runs: the rows of preferred and other runs (Tunehub-Preferred).
// Errors: unknown_source; device_not_said (for some keys, only runs that name no device have
// measurements; not with allow_empty or fill). Throws Unavailable. Precondition:
// query.among_candidates(). Served rows that win come from the snapshot.
core::Result<ChosenSet> Choose(const TunedQuery& query, const FamilySnapshot& snapshot,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions);

}  // namespace tunehub::server
