// How well models and families were served over time, up to now.
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

// Every family's table as of one revision. Of the families in their order; each says the revision
// that changed it last.
using RegistryState = std::vector<std::shared_ptr<const DispatchTable>>;

class RegistryStates {
 public:
  // `tables`: what is served now; null: all is read from the history.
  RegistryStates(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions,
                 DispatchTables* tables)
      : definitions_(definitions), pool_(pool), versions_(versions), tables_(tables) {}

  // Errors: unknown_revision, revision_gone; unread_lines, where a row of then does not fit the
  // family's columns of now. Throws Unavailable. From one thread at a time.
  core::Result<RegistryState> At(const core::Pin& revision);
  // The tables that were read are kept for the next revision until then.
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

// configs/models and engines.json as one text, which a point names the version of.
struct ModelFiles {
  // {"deepseek-v3": "the text of its file", ..., "engines.json": "its text"}
  std::string text;
  std::string sha256;  // of the text
  // Known ones that can be split, each over the most of 8, 4, 2 and 1 GPUs that it can be.
  SplitModels models;
  std::shared_ptr<const core::EngineReads> engine = nullptr;  // the usual one; null: none is known
};

// `folder`: of the models, beside which engines.json stands.
ModelFiles ReadModelFiles(const std::filesystem::path& folder);
// Of a text that ReadModelFiles has made. Throws where it is none.
ModelFiles ParseModelFiles(std::string text);

// A point of a state: by the same computation, whether it is that of now or one of the history.
// Keeps what it has counted: of the next state only families and targets whose rows differ are
// counted again.
class PointMaker {
 public:
  PointMaker(const Definitions& definitions, ConnectionPool& pool)
      : definitions_(definitions), pool_(pool), parts_(definitions) {}

  // Whole and sorted. Throws Unavailable.
  PointRows Make(const ModelFiles& models, const RegistryState& state);

 private:
  struct Figures {
    core::Pin revision;
    std::vector<PointFamily> rows;
  };

  void AddModels(const ModelFiles& models, const RegistryState& state, PointRows& point);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  std::mutex mutex_;    // also while one is made: who waits would make the same
  std::string models_;  // the digest of those that `parts_` is of
  ModelPartTables parts_;
  std::map<std::int16_t, Figures> figures_;
};

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
  // Until no point is due; false where it is to end.
  bool MakeAll();
  bool FindDue();
  // False where it was not stored.
  bool Make(const core::Pin& revision, const ModelFiles& models);

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

  std::shared_ptr<const PointRows> CountNow();

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  DispatchTables& tables_;
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
