// How well models and families were served over time, up to now.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/service/registry/snapshots.h"
#include "server/service/trends/cell_trends.h"
#include "server/service/trends/point_keeper.h"
#include "server/service/trends/trend.h"

namespace tunehub::service {

inline constexpr std::size_t kMostTrendPoints = 1'000;  // in one answer
inline constexpr std::size_t kMostTrendEvents = 200;    // of imports and reverts, and of toolchains

struct TrendEvents {
  std::vector<store::ImportEvent> imports;       // the newest first
  std::vector<store::ToolchainBump> toolchains;  // of the gfx; the newest first
};

struct Trend {
  core::Pin revision;
  std::vector<TrendPoint> points;             // in their order; that of before these days first
  std::size_t left_out = 0;                   // older ones, beyond kMostTrendPoints
  TrendFigures now;                           // counted now, of what is served now
  std::map<std::int64_t, std::string> times;  // of the revisions that figures are `since`
  TrendEvents events;
};

class Trends {
 public:
  Trends(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
         FamilyVersions& versions, DispatchTables& tables);

  // Throws Unavailable.
  Trend Get(const TrendSubject& subject, int days);
  // May be some seconds old; none where the database is gone and none were read.
  std::shared_ptr<const CellTrends> Cells();
  PointKeeper& keeper() { return keeper_; }

 private:
  // What is served now.
  struct Now {
    std::vector<std::weak_ptr<const DispatchTable>> tables;  // whose rows it does not hold
    std::chrono::steady_clock::time_point at;
    std::shared_ptr<const store::PointRows> rows;
  };

  std::shared_ptr<const store::PointRows> CountNow(const core::Pin& revision);

  const Definitions& definitions_;
  store::Store& store_;
  const Snapshots& snapshots_;
  RegistryStates states_;
  PointMaker maker_;
  PointHistories histories_;
  PointKeeper keeper_;
  std::mutex now_mutex_;  // also while it is counted: who waits would count the same
  Now now_;
  std::mutex mutex_;  // the same of the cells
  std::shared_ptr<const CellTrends> cells_;
  std::chrono::steady_clock::time_point cells_at_;
};

}  // namespace tunehub::service
