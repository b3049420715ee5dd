// Speed-ups as JSON and as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/speedups.h"

namespace tunehub::analysis {

// The whole with histograms, and parts by family, target, model, bucket of M and campaign.
nlohmann::ordered_json ToJson(const SpeedupKeys& keys);

// A line per key that has a default or a heuristic to be compared with.
std::string ToCsv(const SpeedupKeys& keys);

}  // namespace tunehub::analysis
