// A model's time over weeks. It uses the rows that answer the model's lookups now. The time at an
// earlier moment is the sum of these rows' times at that moment, over the matrix products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "server/insight/coverage.h"
#include "server/insight/model_map.h"
#include "server/insight/speedups.h"

namespace tunehub::server {

// A phase of inference, and the number of tokens in one forward pass.
struct ModelPhase {
  const char* name;
  std::int64_t m;
};
inline constexpr std::array<ModelPhase, 2> kPhases = {{{"decode", 64}, {"prefill", 8192}}};

// In microseconds for one token.
struct PhaseTime {
  double us = std::numeric_limits<double>::quiet_NaN();  // NaN: some layer has no time
  // The sums of the ends of the rows' intervals. NaN: a row has no samples.
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
};

struct ModelTimePoint {
  core::Pin revision;
  std::string at;
  std::array<PhaseTime, kPhases.size()> phases;
};

struct ModelTime {
  std::size_t layers = 0;
  // The layers whose row has or had a time. No other layer counts.
  std::array<std::size_t, kPhases.size()> timed = {};
  // Times of defaults for one token; NaN: the default of some layer was not measured.
  std::array<double, kPhases.size()> defaults = {};
  // The state at the end of each day with a change, the oldest first, then the present state. The
  // first point may be older than the days.
  std::vector<ModelTimePoint> points;
};

// Errors: those of CoverageService::OfModel. Throws Unavailable.
core::Result<ModelTime> MakeModelTime(CoverageService& coverage, Speedups& speedups,
                                      ConnectionPool& pool, const Snapshots& snapshots,
                                      const MapQuestion& question, int days);

}  // namespace tunehub::server
