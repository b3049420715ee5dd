// Speed-ups: how many times faster the winner is than what runs untuned.
#pragma once

#include <optional>

#include "agent/tuning/session.h"
#include "core/analysis/statistics.h"

namespace tunehub::agent::tuning {

// Of the winner over the untuned choice; nothing where either has no time.
std::optional<double> SpeedupOf(const DoneShape& done);

using analysis::GeometricMean;

}  // namespace tunehub::agent::tuning
