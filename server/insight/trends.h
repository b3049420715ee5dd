// Computes trends of models and families, including the current figures.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/threads.h"
#include "core/shapes/engine_reads.h"
#include "server/insight/coverage.h"
#include "server/insight/point_store.h"
#include "server/insight/trend.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/dispatch_tables.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Every family's table at one revision, in the order of families. Each table names the last
// revision that changed it.
using RegistryState = std::vector<std::shared_ptr<const DispatchTable>>;

class RegistryStates {
 public:
  // `tables`: the tables served now; null: reads everything from the history.
  RegistryStates(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                 DispatchTables* tables)
      : definitions_(definitions), pool_(pool), versions_(versions), tables_(tables) {}

  // Errors: unknown_revision, revision_gone, unread_lines (an old row does not fit the family's
  // current columns). Throws Unavailable. Not thread-safe.
  core::Result<RegistryState> At(const core::Pin& revision);
  // Drops the cached tables.
  void Forget() { read_.clear(); }

 private:
  using Table = std::shared_ptr<const DispatchTable>;
  core::Result<Table> Read(const core::Family& family, const core::Pin& revision,
                           const core::Pin& family_revision, const Table& now);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  FamilyVersions& versions_;
  DispatchTables* tables_;
  std::map<std::int16_t, Table> read_;
};

// configs/models and engines.json as one text. Points refer to this text by version.
struct ModelFiles {
  // {"deepseek-v3": "the text of its file", ..., "engines.json": "its text"}
  std::string text;
  std::string sha256;  // digest of the text
  // Known models that can be split. Each model is split over 8, 4, 2 or 1 GPUs: the largest number
  // that its layers allow.
  SplitModels models;
  std::shared_ptr<const core::EngineReads> engine = nullptr;  // the usual engine; null: unknown
};

// `folder`: the models' folder. engines.json is in its parent folder.
ModelFiles ReadModelFiles(const std::filesystem::path& folder);
// Parses a text of ReadModelFiles. Throws if it is invalid.
ModelFiles ParseModelFiles(std::string text);

// Computes current and past points. Keeps its counts. For the next state, it counts only families
// and targets with changed rows again.
class PointMaker {
 public:
  PointMaker(const Definitions& definitions, ConnectionPool& pool)
      : definitions_(definitions), pool_(pool), parts_(definitions) {}

  // Returns a full point, sorted. Throws Unavailable.
  PointRows Make(const ModelFiles& models, const RegistryState& state);

 private:
  struct Figures {
    core::Pin revision;
    std::vector<PointFamily> rows;
  };

  void AddModels(const ModelFiles& models, const RegistryState& state, PointRows& point);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  std::mutex mutex_;    // locked during a count: waiting threads need the result
  std::string models_;  // the digest of the models that `parts_` counted
  ModelPartTables parts_;
  std::map<std::int16_t, Figures> figures_;
};

// Makes due points in the order of their revisions. A point is due after each import, after each
// revert and at the end of each day. After a downtime, the keeper makes the missing past points.
// Several servers may do this on one database. No request waits for a point.
class PointKeeper {
 public:
  // `maker`: makes the current counts.
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
  void Wake() { thread_.Wake(); }  // call it after a commit

  // Makes the next due point. Returns false if no point is due, or if this server may not make
  // points. Throws Unavailable. The thread and tests call it.
  bool MakeNext();

 private:
  // Makes points until no point is due. Returns false if the thread must end.
  bool MakeAll();
  bool FindDue();
  // Returns false if the point was not stored.
  bool Make(const core::Pin& revision, const ModelFiles& models);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  RegistryStates states_;
  PointMaker& maker_;
  PointHistories& histories_;
  std::unique_ptr<PointMaker> past_maker_;  // set while past points are due
  std::vector<core::Pin> due_;              // descending: the last element is due next
  std::int64_t looked_at_ = 0;              // no revision up to this number needs a point
  std::chrono::steady_clock::time_point due_since_;
  std::int64_t newest_ = 0;  // id of the point that `state_` equals
  PointRows state_;
  core::WokenThread thread_;
};

inline constexpr std::size_t kMostTrendPoints = 1'000;  // limit of an answer
// the most imports and reverts, and the most toolchains
inline constexpr std::size_t kMostTrendEvents = 200;

struct TrendEvents {
  std::vector<ImportEvent> imports;       // the newest first
  std::vector<ToolchainBump> toolchains;  // new toolchains of the gfx, the newest first
};

struct Trend {
  core::Pin revision;
  std::vector<TrendPoint> points;  // oldest first; the first may be older than the days
  std::size_t left_out = 0;        // older points beyond kMostTrendPoints
  TrendFigures now;                // current counts of served rows
  RevisionTimes times;             // of the revisions in the members `since`
  TrendEvents events;
};

class Trends {
 public:
  Trends(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
         FamilyVersions& versions, DispatchTables& tables);

  // Throws Unavailable.
  Trend Get(const TrendSubject& subject, int days);
  // The events of the last `days`. `family` absent: any.
  TrendEvents EventsOf(const std::string& gfx, int days, std::optional<std::int16_t> family);
  // The result may be some seconds old. It is empty if the database does not respond and nobody has
  // read points before.
  std::shared_ptr<const CellTrends> Cells();
  PointKeeper& keeper() { return keeper_; }

 private:
  struct Now {
    std::vector<std::weak_ptr<const DispatchTable>> tables;  // the tables in `rows`; not owned
    std::chrono::steady_clock::time_point at;
    std::shared_ptr<const PointRows> rows;
  };

  std::shared_ptr<const PointRows> CountNow();

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  DispatchTables& tables_;
  PointMaker maker_;
  PointHistories histories_;
  PointKeeper keeper_;
  std::mutex now_mutex_;  // locked during a count: waiting threads need it
  Now now_;
  std::mutex mutex_;  // guards the cells; locked while a thread makes them
  std::shared_ptr<const CellTrends> cells_;
  std::chrono::steady_clock::time_point cells_at_;
};

}  // namespace tunehub::server
