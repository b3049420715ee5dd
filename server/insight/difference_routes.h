// What changed since a state, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "server/insight/differences.h"

namespace tunehub::server {

// Counts and lost time by kind, and the revisions that did it, those with the most keys first.
nlohmann::ordered_json TotalsJson(const DifferenceTotals& totals);

// One key: what it was served then and is now, and its latest times.
nlohmann::ordered_json DifferenceJson(const WeighedDifference& difference,
                                      const std::vector<WinnerTime>& times);

}  // namespace tunehub::server
