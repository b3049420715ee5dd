// Chooses the best of some candidates: of some libtypes, of some runs, or with a small error.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/tables/build_rows.h"
#include "server/tables/measurement_store.h"
#include "server/tables/table_bytes.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Keeps for each shape key and provider the best candidate whose cells are `allowed`.
class ChosenRows {
 public:
  ChosenRows(const core::Family& family, const Definitions& definitions, FamilyVersions& versions,
             std::function<bool(const core::Cells&)> allowed)
      : family_(family),
        id_(definitions.Id(family)),
        targets_(definitions.targets),
        versions_(versions),
        allowed_(std::move(allowed)) {}

  void Add(CandidateRecord candidate);
  // The kept rows. Call it once, at the end.
  RowSet Done();

 private:
  const core::Family& family_;
  const std::int16_t id_;
  const core::Targets& targets_;
  FamilyVersions& versions_;
  const std::function<bool(const core::Cells&)> allowed_;
  std::map<std::pair<core::Hash128, Provider>, CandidateRecord> best_;
  std::string scratch_;
};

struct ChosenSet {
  RowSet rows;
  ReadCandidates others;  // visits candidates of given shape keys, for FitRows
};

// If the query chooses runs by provenance, the notes count the selected candidates of matching,
// unknown and other runs (Tunehub-Provenance, Tunehub-Unknown-Provenance). If the query prefers
// runs, the notes count rows of preferred and other runs (Tunehub-Preferred). Errors:
// unknown_source; device_not_said (only runs that name no device measured some keys; not with
// allow_empty or fill). Throws Unavailable. Precondition: query.among_candidates().
core::Result<ChosenSet> Choose(const core::Family& family, const TunedQuery& query,
                               const Definitions& definitions, ConnectionPool& pool,
                               FamilyVersions& versions);

}  // namespace tunehub::server
