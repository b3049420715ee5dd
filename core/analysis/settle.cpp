#include "core/analysis/settle.h"

#include <algorithm>

#include "core/analysis/statistics.h"

namespace tunehub::analysis {

std::optional<Settled> Settle(std::vector<double> runs, double spread) {
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
