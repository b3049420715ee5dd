// A comparison as JSON and as CSV, the same from the agent and the server.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/analysis/compare.h"

namespace tunehub::analysis {

// The sides' names and environments, the limits, counts, and the first `most` keys: what is worst
// first, by change and then by how much.
nlohmann::ordered_json ToJson(const Comparison& comparison, const Side& base, const Side& head,
                              const CompareLimits& limits, std::size_t most);

// Every key, in the same order. Lines that begin with '#' say the environments.
std::string ToCsv(const Comparison& comparison, const Side& base, const Side& head);

}  // namespace tunehub::analysis
