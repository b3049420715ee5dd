// One time out of several runs of a candidate.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {

inline constexpr double kAgreeingSpread = 0.05;  // the slowest over the fastest run
inline constexpr std::size_t kEnoughRuns = 3;    // that agree
inline constexpr std::size_t kMostRuns = 5;      // then the closest pair decides

struct Settled {
  double us = 0;
  bool stable = true;  // false: to be measured again
};

// Runs that agree: their median. Five or more that do not: the mean of the two closest. Fewer that
// do not: their median, not stable. One run stands for itself; none is nothing.
inline std::optional<Settled> Settle(std::vector<double> runs, double spread = kAgreeingSpread) {
  if (runs.empty()) return std::nullopt;
  std::sort(runs.begin(), runs.end());
  if (runs.back() <= runs.front() * (1 + spread)) return Settled{Median(runs), true};
  if (runs.size() < kMostRuns) return Settled{Median(runs), false};
  std::size_t closest = 1;
  for (std::size_t i = 2; i < runs.size(); ++i) {
    if (runs[i] / runs[i - 1] < runs[closest] / runs[closest - 1]) closest = i;
  }
  return Settled{(runs[closest - 1] + runs[closest]) / 2, true};
}

}  // namespace tunehub::analysis
