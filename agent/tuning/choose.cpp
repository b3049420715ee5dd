#include "agent/tuning/choose.h"

#include <algorithm>
#include <cmath>

namespace tunehub::agent::tuning {
namespace {

// Within this the smaller split along K is preferred: less memory, fewer sums.
constexpr double kTie = 0.01;

}  // namespace

std::optional<std::size_t> Choose(const std::vector<Measurement>& measurements,
                                  const std::optional<Columns>& incumbent,
                                  double min_improvement_pct) {
  double fastest = INFINITY;
  for (const Measurement& it : measurements) {
    if (it.competes()) fastest = std::min(fastest, Median(it.samples));
  }
  std::optional<std::size_t> winner;
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const Measurement& it = measurements[i];
    if (!it.competes()) continue;
    const double us = Median(it.samples);
    if (it.candidate == incumbent && us <= fastest * (1 + min_improvement_pct / 100)) return i;
    if (us > fastest * (1 + kTie)) continue;
    const auto rank = [](const Measurement& m) {
      return std::pair(SplitK(m.candidate), Median(m.samples));
    };
    if (!winner || rank(it) < rank(measurements[*winner])) winner = i;
  }
  return winner;
}

}  // namespace tunehub::agent::tuning
