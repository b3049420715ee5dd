#include "core/analysis/change.h"

namespace tunehub::analysis {

std::string_view Name(Change change) {
  constexpr std::string_view kNames[kChanges] = {"slower",  "unstable", "same_kernel",
                                                 "removed", "new",      "skipped",
                                                 "ignored", "faster",   "same"};
  return kNames[static_cast<std::size_t>(change)];
}

Change ChangeOfTimes(double base_us, double head_us, const CompareLimits& limits) {
  if (base_us < limits.ignore_below_us) return Change::kIgnored;
  if (base_us > limits.ratio * head_us + limits.slack_us) return Change::kFaster;
  return head_us > limits.ratio * base_us + limits.slack_us ? Change::kSlower : Change::kSame;
}

}  // namespace tunehub::analysis
