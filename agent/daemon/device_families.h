// Which families the daemon asks jobs of.
#pragma once

#include <string>
#include <vector>

#include "agent/tuning/tune_command.h"

namespace tunehub::agent::daemon {

// `wanted`, or, where that is empty, all that the device of `bench` can tune. A job of another
// would be parked for everybody. Errors: unknown_family, with those that there are.
core::Result<std::vector<std::string>> FamiliesOf(const tuning::TuneOptions& options,
                                                  const std::vector<std::string>& wanted,
                                                  const tuning::Bench& bench);

}  // namespace tunehub::agent::daemon
