// What became of a key's time, and by which limits. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/analysis/settle.h"

namespace tunehub::analysis {

struct CompareLimits {
  double ignore_below_us = 4;  // a shorter golden time says more about the clock than the kernel
  double ratio = 1.005;        // slower: above ratio * golden + slack
  double slack_us = 0.5;
  double spread = kAgreeingSpread;
};

enum class Change : std::uint8_t {
  kSlower,      // a regression
  kUnstable,    // the runs of a side do not agree: to be measured again
  kSameKernel,  // slower by the rule, but a repetition of the same kernel: noise
  kRemoved,     // only in the base
  kNew,         // only in the head
  kSkipped,     // a side has the key, but no time
  kIgnored,     // the base's time is below ignore_below_us
  kFaster,
  kSame,
};
inline constexpr std::size_t kChanges = 9;
inline constexpr std::string_view kChangeNames[kChanges] = {
    "slower", "unstable", "same_kernel", "removed", "new", "skipped", "ignored", "faster", "same"};
inline std::string_view Name(Change change) {
  return kChangeNames[static_cast<std::size_t>(change)];
}

// Of two settled times of a key, by the limits alone: kSlower, kFaster, kSame or kIgnored.
inline Change ChangeOfTimes(double base_us, double head_us, const CompareLimits& limits) {
  if (base_us < limits.ignore_below_us) return Change::kIgnored;
  if (base_us > limits.ratio * head_us + limits.slack_us) return Change::kFaster;
  return head_us > limits.ratio * base_us + limits.slack_us ? Change::kSlower : Change::kSame;
}

}  // namespace tunehub::analysis
