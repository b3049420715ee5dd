// Where each cell of the overview was in the last month: what a sparkline is drawn of.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "server/service/trends/point_history.h"

namespace tunehub::service {

inline constexpr int kMonthDays = 30;
inline constexpr int kSampleDays = 3;
inline constexpr std::size_t kSamples = kMonthDays / kSampleDays;

struct CellTrend {
  int tp = 1;  // of the newest point
  // The coverage by the usual engine 30, 27, .. 3 days ago; nothing: it asked nothing
  // then, was split otherwise, or there is no point so old.
  std::array<std::optional<double>, kSamples> shares = {};
};

using CellTrends =
    std::map<std::tuple<std::string, std::string, int>, CellTrend>;  // model, gfx, CUs

// `now`: in microseconds since 1970.
CellTrends CellTrendsOf(const PointHistory& history, std::int64_t now);

}  // namespace tunehub::service
