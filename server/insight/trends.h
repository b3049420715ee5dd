// How well models and families were served over time, up to now.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/system/woken_thread.h"
#include "server/insight/point_maker.h"
#include "server/insight/trend.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Makes the points that are due, in the order of their revisions: of each day that has ended and of
// each import and revert. After a time without a server that may make them, it fills in the past.
// Any number of servers may do so on one database; nobody waits for it.

class PointKeeper {
 public:
  // `maker`: of what is served now.
  PointKeeper(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
              FamilyVersions& versions, DispatchTables& tables, PointMaker& maker,
              PointHistories& histories)
      : definitions_(definitions),
        pool_(pool),
        snapshots_(snapshots),
        states_(definitions, pool, versions, &tables),
        maker_(maker),
        histories_(histories) {}
  PointKeeper(const PointKeeper&) = delete;
  PointKeeper& operator=(const PointKeeper&) = delete;
  ~PointKeeper() { Stop(); }

  void Start();
  void Stop() { thread_.Stop(); }
  void Wake() { thread_.Wake(); }  // something was committed

  // Makes the next point that is due; false where none is, or this server may make none. Throws
  // Unavailable. For the thread, and for tests.
  bool MakeNext();

 private:
  void Run();
  // Until no point is due; false where it is to end.
  bool MakeAll();
  // Whether what this server knows is in force: an older one must not make points of its own.
  bool MayMake(const ModelFiles& models);
  bool FindDue();
  // False where it was not stored.
  bool Make(const core::Pin& revision, const ModelFiles& models);
  PointBasis BasisOf(const ModelFiles& models) const;

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  RegistryStates states_;
  PointMaker& maker_;
  PointHistories& histories_;
  std::unique_ptr<PointMaker> past_maker_;  // while the past is filled in: nobody waits for it
  std::vector<core::Pin> due_;              // the next one last
  std::int64_t looked_at_ = 0;              // revisions up to this one have a point or need none
  std::chrono::steady_clock::time_point due_since_;
  std::int64_t newest_ = 0;  // the point that `state_` is after
  PointRows state_;
  core::WokenThread thread_;
};

inline constexpr std::size_t kMostTrendPoints = 1'000;  // in one answer
inline constexpr std::size_t kMostTrendEvents = 200;    // of imports and reverts, and of toolchains

struct TrendEvents {
  std::vector<ImportEvent> imports;       // the newest first
  std::vector<ToolchainBump> toolchains;  // of the gfx; the newest first
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
  Trends(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
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
    std::shared_ptr<const PointRows> rows;
  };

  std::shared_ptr<const PointRows> CountNow(const core::Pin& revision);

  const Definitions& definitions_;
  ConnectionPool& pool_;
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

}  // namespace tunehub::server
