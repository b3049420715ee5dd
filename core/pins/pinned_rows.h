// A nearest-M file that cannot harm: the engine's own default where nothing better is known, so
// that no M gets a row that was tuned beyond a bound of the default's rule. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/pins/engine_default.h"

namespace tunehub::pins {

// Whether two configs say the same, in whatever order.
bool IsSameConfig(const std::string& a, const std::string& b);

enum class PinOrigin {
  kTuned,      // as it came
  kUntuned,    // the default: an M of the ladder that has no row
  kBound,      // the default: beside a bound, where there is no row
  kWasSlower,  // the default, in place of a row that was measured slower
};

struct PinnedRow {
  std::string config;  // JSON
  PinOrigin origin = PinOrigin::kTuned;
};

// A file's row, and the times that are known of it.
struct TimedRow {
  std::string config;  // JSON
  std::optional<double> us;
  std::optional<double> default_us;  // of what runs untuned at this M
};

// The rows of a file that is read by the nearest M, pinned. Its reader gets for each M either the
// default of exactly that M, or a tuned row that was not measured slower than the default and whose
// M is on the same side of every bound: both sides of a bound have a row, and each is nearer to its
// own side's M than anything beyond. A file without a row stays one: it means the default already.
std::map<std::int64_t, PinnedRow> Pin(const std::map<std::int64_t, TimedRow>& rows,
                                      const EngineDefault& engine_default,
                                      std::span<const std::int64_t> ladder);

}  // namespace tunehub::pins
