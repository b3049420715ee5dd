// What is served now against what was served at a revision, over all families that are asked about.
// Only keys that changed since are read, once for each revision there is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pin.h"
#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/db/connection_pool.h"
#include "server/insight/listed_differences.h"
#include "server/insight/speedups.h"
#include "server/queue/missing.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Which revisions a tunehub.lock pins: what a build was made from.

inline constexpr std::size_t kMaxLockBytes = 1024 * 1024;
inline constexpr std::size_t kMostLocked = 1'000;  // tables

struct LockedRevision {
  const core::Family* family = nullptr;
  core::Pin revision;
  std::vector<core::Target> targets;  // of its rows; empty: all
};

struct LockRevisions {
  std::vector<LockedRevision> tables;
  // Entries that are no table of a family here, with the reason: an engine's tree, say.
  std::vector<std::string> left_out;
};

// Error bad_lock, which names the place within the file.
core::Result<LockRevisions> ReadLock(const Definitions& definitions, std::string_view text);

struct DifferenceQuery {
  std::vector<LockedRevision> tables;  // with the state that each is compared with
  core::Target target;
  std::string model;    // "": any
  std::int64_t tp = 0;  // 0: any
};

struct DifferenceAnswer {
  std::vector<WeighedDifference> differences;  // each key once; those of no difference, too
  std::vector<std::shared_ptr<const FamilyDifferences>> held;  // what they point to
};

struct SinceRevision {
  core::Pin revision;
  std::string created;    // "": before the first one
  bool is_first = false;  // the registry is younger than what was asked for
};

class Differences {
 public:
  Differences(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
              FamilyVersions& versions, Speedups& speedups);

  // The last revision that is `days` old. Throws Unavailable.
  SinceRevision DaysAgo(int days) const;
  // Errors: unknown_revision, revision_gone. Throws Unavailable.
  core::Result<SinceRevision> At(const core::Pin& revision) const;

  // The revisions of the tables must be ones that At found. Throws Unavailable.
  DifferenceAnswer Get(const DifferenceQuery& query);

  // What the keys were served lately, each with its times in their order: for a picture beside
  // each.
  using Times = std::vector<std::vector<WinnerTime>>;
  Times LatestTimes(const std::vector<WeighedDifference>& listed, std::size_t begin,
                    std::size_t end) const;

 private:
  // Under which keys of families_ there are differences up to a family's newest snapshot.
  struct Known {
    core::Pin revision;
    int era = 0;
    std::set<std::string> keys;
  };

  std::shared_ptr<const FamilyDifferences> Find(const core::Family& family, const core::Pin& since);
  void ForgetOlder(const FamilySnapshot& snapshot, const std::string& key);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  FamilyVersions& versions_;
  Speedups& speedups_;
  DemandCounts demand_;
  Kept<FamilyDifferences> families_;
  std::mutex mutex_;                     // never held while anything is read
  std::map<std::int16_t, Known> known_;  // by family
};

}  // namespace tunehub::server
