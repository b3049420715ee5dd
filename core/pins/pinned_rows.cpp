#include "core/pins/pinned_rows.h"

namespace tunehub::pins {

std::map<std::int64_t, PinnedRow> Pin(const std::map<std::int64_t, TunedRow>& rows,
                                      const EngineDefault& engine_default,
                                      std::span<const std::int64_t> ladder) {
  std::map<std::int64_t, PinnedRow> pinned;
  if (rows.empty()) return pinned;
  for (const auto& [m, row] : rows) {
    const bool slower = row.us && row.default_us && *row.us > *row.default_us;
    pinned[m] = slower ? PinnedRow{engine_default.Of(m), Origin::kWasSlower}
                       : PinnedRow{row.config, Origin::kTuned};
  }
  const auto add = [&](std::int64_t m, Origin origin) {
    if (!pinned.contains(m)) pinned[m] = {engine_default.Of(m), origin};
  };
  for (const std::int64_t m : ladder) add(m, Origin::kUntuned);
  for (const std::int64_t bound : engine_default.Bounds()) {
    add(bound, Origin::kBound);
    add(bound + 1, Origin::kBound);
  }
  return pinned;
}

}  // namespace tunehub::pins
