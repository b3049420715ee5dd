// What became of a key's winner between two states of a registry. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/analysis/compare.h"

namespace tunehub::analysis {

enum class Difference {
  kSlower,
  kFaster,
  kAppeared,     // a winner, or its time, where there was none
  kDisappeared,  // there is none any more
  kUnmeasured,   // one without a time that can be believed, where there was a time
  kWithinNoise,  // the time moved, and nobody can say that it did: no difference
  kNone,         // as before, as far as times say
};
inline constexpr std::size_t kDifferences = 5;  // that anybody lists
inline constexpr std::string_view kDifferenceNames[] = {
    "slower", "faster", "appeared", "disappeared", "unmeasured", "within_noise", "none"};
inline std::string_view Name(Difference difference) {
  return kDifferenceNames[static_cast<std::size_t>(difference)];
}

// What a key is served, in one of the states.
struct Winner {
  bool is_tuned = false;     // there is a row, and it is no baseline
  std::optional<double> us;  // that can be believed
};

// `same_code`: both are the same candidate, of the same versions of what it runs on. The limits are
// those of a comparison.
Difference DifferenceOf(const Winner& before, const Winner& now, bool same_code,
                        const CompareLimits& limits = {});

}  // namespace tunehub::analysis
