// Scores as JSON, the same from the agent and the server.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/score.h"

namespace tunehub::analysis {

nlohmann::ordered_json ToJson(const Tally& tally);
// Rows, matches, share; balanced; buckets; where measured, the slow-down.
nlohmann::ordered_json ToJson(const Score& score);
// By the shape without M, the first `most` of them.
nlohmann::ordered_json GroupsJson(const Samples& samples, const Score& score, std::size_t most);
// The `most` frequent ones.
nlohmann::ordered_json ConfusionsJson(const Samples& samples, const Score& score, std::size_t most);

}  // namespace tunehub::analysis
