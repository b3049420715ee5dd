#include "core/analysis/difference.h"

#include <fmt/core.h>

#include <string>

#include "core/base/excerpt.h"

namespace tunehub::analysis {

std::string_view Name(Difference difference) {
  constexpr std::string_view kNames[] = {"slower",     "faster",       "appeared", "disappeared",
                                         "unmeasured", "within_noise", "none"};
  return kNames[static_cast<std::size_t>(difference)];
}

core::Result<Difference> ParseDifference(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < kDifferences; ++i) {
    const auto difference = static_cast<Difference>(i);
    if (Name(difference) == name) return difference;
    known += (i == 0 ? "" : ", ") + std::string(Name(difference));
  }
  return core::Error{"bad_parameter",
                     fmt::format("kind: '{}' is not one of {}", core::Excerpt(name), known)};
}

Difference DifferenceOf(const Winner& before, const Winner& now, bool same_code,
                        const CompareLimits& limits) {
  if (!now.is_tuned) return before.is_tuned ? Difference::kDisappeared : Difference::kNone;
  if (!before.is_tuned) return Difference::kAppeared;
  if (!before.us) return now.us ? Difference::kAppeared : Difference::kNone;
  if (!now.us) return Difference::kUnmeasured;
  switch (ChangeOfTimes(*before.us, *now.us, limits)) {
    case Change::kSlower:
      return same_code ? Difference::kWithinNoise : Difference::kSlower;
    case Change::kFaster:
      return Difference::kFaster;
    default:
      return *before.us == *now.us ? Difference::kNone : Difference::kWithinNoise;
  }
}

}  // namespace tunehub::analysis
