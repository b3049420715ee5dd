// The analysis services that the routes use.
#pragma once

#include "server/insight/comparisons.h"
#include "server/insight/differences.h"
#include "server/insight/speedups.h"
#include "server/snapshots/changes.h"
#include "server/tables/heuristics.h"

namespace tunehub::server {

struct Analyses {
  // Throws std::runtime_error if a written heuristic is invalid.
  Analyses(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
           FamilyVersions& versions)
      : heuristics(definitions, pool, snapshots, versions),
        speedups(definitions, pool, snapshots, heuristics),
        comparisons(definitions, pool, versions),
        changes(pool, snapshots),
        differences(definitions, pool, snapshots, versions, speedups) {}

  Heuristics heuristics;
  Speedups speedups;
  Comparisons comparisons;
  Changes changes;
  Differences differences;
};

}  // namespace tunehub::server
