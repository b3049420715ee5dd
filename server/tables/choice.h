// Answers with the best of some candidates: of some libtypes, or of some runs.
#pragma once

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/tables/build_rows.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

struct ChosenSet {
  RowSet rows;
  ReadCandidates others;  // visits candidates of given keys, for FitRows
};

// If the query chooses runs by provenance, the notes count candidates of the selected keys: headers
// Tunehub-Provenance and Tunehub-Unknown-Provenance, member "provenance" (matching, unknown,
// other). If it prefers runs, they count rows of preferred and other runs: Tunehub-Preferred,
// "preferred". Errors: unknown_source; device_not_said (only runs that name no device measured some
// keys; not with allow_empty or fill). Throws Unavailable. Precondition: query.among_candidates().
core::Result<ChosenSet> Choose(const core::Family& family, const TunedQuery& query,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions);

}  // namespace tunehub::server
