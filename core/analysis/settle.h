// One time out of several runs of a candidate.
#pragma once

#include <optional>
#include <vector>

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
std::optional<Settled> Settle(std::vector<double> runs, double spread = kAgreeingSpread);

}  // namespace tunehub::analysis
