// A comparison as JSON and as CSV, the same from the agent and the server.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/compare.h"
#include "core/analysis/compared_keys.h"

namespace tunehub::analysis {

// The sides' environments, the limits, counts, the speed-ups of all keys and by change,
// and the keys that were chosen: "matching" of them, "listed" from `offset` on.
nlohmann::ordered_json ToJson(const Comparison& comparison, const CompareLimits& limits,
                              const KeyChoice& choice = {});

// Every key of the chosen change, in the chosen order. Lines that begin with '#' say the
// environments.
std::string ToCsv(const Comparison& comparison, const KeyChoice& choice = {});

}  // namespace tunehub::analysis
