#include "core/pins/pinned_rows.h"

#include <nlohmann/json.hpp>

#include "core/base/read_json.h"

namespace tunehub::pins {

bool IsSameConfig(const std::string& a, const std::string& b) {
  return a == b || core::ReadJson(a) == core::ReadJson(b);
}

std::map<std::int64_t, PinnedRow> Pin(const std::map<std::int64_t, TimedRow>& rows,
                                      const EngineDefault& engine_default,
                                      std::span<const std::int64_t> ladder) {
  std::map<std::int64_t, PinnedRow> pinned;
  if (rows.empty()) return pinned;
  for (const auto& [m, row] : rows) {
    const bool slower = row.us && row.default_us && *row.us > *row.default_us;
    pinned[m] = slower ? PinnedRow{engine_default.Of(m), PinOrigin::kWasSlower}
                       : PinnedRow{row.config, PinOrigin::kTuned};
  }
  const auto add = [&](std::int64_t m, PinOrigin origin) {
    if (!pinned.contains(m)) pinned[m] = {engine_default.Of(m), origin};
  };
  for (const std::int64_t m : ladder) add(m, PinOrigin::kUntuned);
  for (const std::int64_t bound : engine_default.Bounds()) {
    add(bound, PinOrigin::kBound);
    add(bound + 1, PinOrigin::kBound);
  }
  return pinned;
}

}  // namespace tunehub::pins
