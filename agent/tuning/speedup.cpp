#include "agent/tuning/speedup.h"

namespace tunehub::agent::tuning {

std::optional<double> SpeedupOf(const DoneShape& done) {
  if (!done.winner || !done.fallback) return std::nullopt;
  const Measurement& fallback = done.measurements[*done.fallback];
  if (!fallback.competes()) return std::nullopt;
  return Median(fallback.samples) / Median(done.measurements[*done.winner].samples);
}

}  // namespace tunehub::agent::tuning
