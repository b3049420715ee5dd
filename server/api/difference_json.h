// What changed since a state, as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "server/service/analysis/differences.h"

namespace tunehub::api {

// Counts and lost time by kind, and the revisions that did it, those with the most keys first.
nlohmann::ordered_json TotalsJson(const service::DifferenceTotals& totals);

// One key: what it was served then and is now, and its latest times.
nlohmann::ordered_json DifferenceJson(const service::WeighedDifference& difference,
                                      const std::vector<service::WinnerTime>& times);

}  // namespace tunehub::api
