// What the analysis, and the page, answer from.
#pragma once

#include "server/service/analysis/comparisons.h"
#include "server/service/analysis/differences.h"
#include "server/service/analysis/family_times.h"
#include "server/service/analysis/heuristics.h"
#include "server/service/analysis/key_history.h"
#include "server/service/analysis/speedups.h"
#include "server/service/registry/changes.h"

namespace tunehub::service {

struct Analyses {
  // Throws std::runtime_error where a written heuristic is wrong.
  Analyses(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
           FamilyVersions& versions)
      : times(definitions, store, versions),
        heuristics(definitions, snapshots, times),
        speedups(definitions, snapshots, times, heuristics),
        comparisons(definitions, store, versions),
        changes(store, snapshots),
        differences(definitions, store, snapshots, versions, speedups),
        histories(store) {}

  TimeTables times;
  Heuristics heuristics;
  Speedups speedups;
  Comparisons comparisons;
  Changes changes;
  Differences differences;
  KeyHistories histories;
};

}  // namespace tunehub::service
