#include "core/analysis/difference.h"

namespace tunehub::analysis {

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
