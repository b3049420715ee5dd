// A comparison as JSON and as CSV, the same from the agent and the server.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/compare.h"

namespace tunehub::analysis {

// Which keys of a comparison somebody wants to see, and in which order. Pure.
enum class KeyOrder {
  kWorst,    // what somebody should look at first: by change, then by how much
  kTarget,   // by its text
  kBase,     // by a side's time
  kHead,     //
  kSpeedup,  // of the keys that both sides have a time of
};

struct KeyChoice {
  std::optional<Change> change;  // of this alone
  KeyOrder order = KeyOrder::kWorst;
  bool descending = false;
  std::size_t offset = 0;  // of the first key that is listed
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

core::Status ParseOrder(std::string_view text, KeyChoice& choice);

// Every key of the chosen change, in the chosen order; those without a value last, equals as kWorst
// has them. `offset` and `most` are left to whoever lists them.
std::vector<const Compared*> Chosen(const Comparison& comparison, const KeyChoice& choice);

// What the speed-ups of some keys come to.
struct SpeedupRange {
  std::size_t keys = 0;                                // that both sides have a time of
  double geometric_mean = 1, least = 1, greatest = 1;  // 1 where there is no key
};
// Over all keys, or over those of one change.
SpeedupRange RangeOf(const Comparison& comparison, std::optional<Change> change);

// The sides' environments, the limits, counts, the speed-ups of all keys and by change,
// and the keys that were chosen: "matching" of them, "listed" from `offset` on.
nlohmann::ordered_json ToJson(const Comparison& comparison, const CompareLimits& limits,
                              const KeyChoice& choice = {});

// Every key of the chosen change, in the chosen order. Lines that begin with '#' say the
// environments.
std::string ToCsv(const Comparison& comparison, const KeyChoice& choice = {});

}  // namespace tunehub::analysis
