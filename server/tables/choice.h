// Answers whose rows are the best of some of the candidates: those of some libtypes, those that
// some runs measured.
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
  ReadCandidates others;  // those of some keys that were chosen among, for FitRows
};

// Where runs are chosen by what they say of themselves, the notes count candidates of the keys that
// the query selects, by their runs: the header Tunehub-Provenance and the member "provenance"
// (matching, unknown, other), and as before Tunehub-Unknown-Provenance. Where runs are preferred,
// they count the rows that are of such runs and the others: Tunehub-Preferred, "preferred". Errors:
// unknown_source, device_not_said (a device is asked for, and runs that name none alone measured
// some of the keys; not with allow_empty or fill). Throws Unavailable. Precondition:
// query.among_candidates().
core::Result<ChosenSet> Choose(const core::Family& family, const TunedQuery& query,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions);

}  // namespace tunehub::server
