// What the analysis, and the page, answer from.
#pragma once

#include "server/service/changes.h"
#include "server/service/comparisons.h"
#include "server/service/family_times.h"
#include "server/service/heuristics.h"
#include "server/service/speedups.h"

namespace tunehub::service {

struct Analyses {
  // Throws std::runtime_error where a written heuristic is wrong.
  Analyses(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
           FamilyVersions& versions)
      : times(definitions, store, versions),
        heuristics(definitions, snapshots, times),
        speedups(definitions, snapshots, times, heuristics),
        comparisons(definitions, store, versions),
        changes(store, snapshots) {}

  TimeTables times;
  Heuristics heuristics;
  Speedups speedups;
  Comparisons comparisons;
  Changes changes;
};

}  // namespace tunehub::service
