// Speed-ups as JSON and as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/speedups.h"

namespace tunehub::analysis {

// The whole with histograms, and parts by family, target, model, bucket of M and campaign.
nlohmann::ordered_json ToJson(const SpeedupKeys& keys);

struct SpeedupLines {
  std::string csv;
  std::size_t left_out = 0;
};
// A line per key that has a default or a heuristic to be compared with, `most` at most.
SpeedupLines ToCsv(const SpeedupKeys& keys, std::size_t most);

}  // namespace tunehub::analysis
