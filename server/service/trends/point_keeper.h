// Makes the points that are due, in the order of their revisions: of each day that has ended and of
// each import and revert. After a time without a server that may make them, it fills in the past.
// Any number of servers may do so on one database; nobody waits for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/system/woken_thread.h"
#include "server/service/registry/snapshots.h"
#include "server/service/trends/point_history.h"
#include "server/service/trends/point_maker.h"
#include "server/service/trends/registry_state.h"

namespace tunehub::service {

class PointKeeper {
 public:
  // `maker`: of what is served now.
  PointKeeper(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
              FamilyVersions& versions, DispatchTables& tables, PointMaker& maker,
              PointHistories& histories)
      : definitions_(definitions),
        store_(store),
        snapshots_(snapshots),
        states_(definitions, store, versions, &tables),
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
  store::PointBasis BasisOf(const ModelFiles& models) const;

  const Definitions& definitions_;
  store::Store& store_;
  const Snapshots& snapshots_;
  RegistryStates states_;
  PointMaker& maker_;
  PointHistories& histories_;
  std::unique_ptr<PointMaker> past_maker_;  // while the past is filled in: nobody waits for it
  std::vector<core::Pin> due_;              // the next one last
  std::int64_t looked_at_ = 0;              // revisions up to this one have a point or need none
  std::chrono::steady_clock::time_point due_since_;
  std::int64_t newest_ = 0;  // the point that `state_` is after
  store::PointRows state_;
  core::WokenThread thread_;
};

}  // namespace tunehub::service
