// Which candidate of a shape is the one to use. Pure.
#pragma once

#include <optional>
#include <vector>

#include "agent/tuning/device/measurement.h"

namespace tunehub::agent::tuning {

// The one to use of `measurements`: by median; within 1 % of the fastest the smaller split along K;
// the incumbent unless it is slower than that by more than `min_improvement_pct`.
std::optional<std::size_t> Choose(const std::vector<Measurement>& measurements,
                                  const std::optional<Columns>& incumbent,
                                  double min_improvement_pct);

}  // namespace tunehub::agent::tuning
