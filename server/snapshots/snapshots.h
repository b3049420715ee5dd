// The current snapshot of every family, kept in step with the database by LISTEN, with a poll as
// the net under it. With the database gone, the last snapshots stay and are marked stale; so they
// do where its history is another one, while everything is read anew.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/histogram.h"
#include "core/base/pin.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/revision_store.h"
#include "server/snapshots/snapshot.h"

namespace tunehub::server {

class Listener;

// What this server has told of the registry's history: by it, it finds out that the history is
// another one now, because the database was restored or lost commits in a failover.
class KnownHistory {
 public:
  // Somebody was told of the revision, or of something that is kept under its number.
  void Saw(const core::Pin& revision) {
    const std::lock_guard lock(mutex_);
    // Of two with one number the one that is lost stays, until that was noticed.
    if (newest_.number < revision.number) newest_ = revision;
  }
  // This server has committed it: later readers must not see an older one.
  void Expect(const core::Pin& revision) {
    Saw(revision);
    std::int64_t known = expected_.load();
    while (known < revision.number && !expected_.compare_exchange_weak(known, revision.number)) {
    }
  }

  // The newest of both. It is in the database for as long as all others are.
  core::Pin newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  std::int64_t expected() const { return expected_.load(); }

  // What was committed before is to be read again, or is lost.
  void ForgetExpected() { expected_ = 0; }
  // `lost` is in the database no more. A newer one that came meanwhile stays.
  void Forget(const core::Pin& lost) {
    const std::lock_guard lock(mutex_);
    if (newest_ == lost) newest_ = {};
  }

 private:
  std::atomic<std::int64_t> expected_{0};
  mutable std::mutex mutex_;
  core::Pin newest_;  // guarded by mutex_
};

// A database that hangs throws nothing, and whoever asks it waits: it is found out by how long it
// has said nothing. The thread asks it once a second.
inline constexpr double kSilentSeconds = 5;

struct SnapshotSet {
  std::map<std::int16_t, std::shared_ptr<const FamilySnapshot>> families;
  core::Pin revision;
  core::Pin writes;  // Heads
  // How often the history was found to be another one. What is kept under a bare number of a
  // revision is right within one era.
  int era = 0;
};

class Snapshots {
 public:
  Snapshots(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions);
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;
  ~Snapshots();

  // Reads everything once, then follows in a thread of its own. Throws Unavailable.
  void Start();
  void Stop();
  // `callback` is called in that thread after a commit of any server. To be set before Start().
  void OnChange(std::function<void()> callback) { on_change_ = std::move(callback); }

  // Never blocks on the database.
  std::shared_ptr<const SnapshotSet> Current() const;
  // Throws Unavailable where the database has another file of the family, and nothing else.
  std::shared_ptr<const FamilySnapshot> Current(const core::Family& family) const;
  // Whether that does not throw: of many families who reads them all leaves such a one out.
  bool Reads(const core::Family& family) const {
    return !Current()->families.at(definitions_.Id(family))->is_unreadable();
  }
  // The families that have times and that this server can read.
  std::vector<const core::Family*> Timed() const;

  // Notes a revision that this server has committed: later readers must not see an older one.
  void Expect(const core::Pin& revision) { history_.Expect(revision); }
  // Notes one that was read otherwise than by way of a set.
  void Saw(const core::Pin& revision) { history_.Saw(revision); }
  // Whether `set` has all that this server has committed. It is the set that the caller reads,
  // since a newer one may be published meanwhile.
  bool IsUpToDate(const SnapshotSet& set) const {
    return set.revision.number >= history_.expected();
  }
  // Waits until Current() has all that this server has committed, as it has a moment after the
  // commit; false where it takes longer than two seconds, or the database cannot be asked.
  bool WaitUpToDate() const;

  // The database cannot be asked now, or says nothing; or it has another history, which is being
  // read.
  bool stale() const { return rereading_ || silent(); }
  // The first of both: who asks may wait for long.
  bool silent() const {
    const bool says_nothing = following_ && core::SecondsSince(answered_.load()) > kSilentSeconds;
    return !rereading_ && (failed_ || says_nothing);
  }
  // Seconds since the current set was last known to be all that there is.
  double age() const { return core::SecondsSince(known_current_.load()); }
  // Revisions that the database was seen to have beyond the current set, or this server committed.
  std::int64_t behind() const;
  // Seconds that it took to bring the set in step.
  const core::Histogram& refreshes() const { return refreshes_; }

  bool read_only() const;  // it is there and takes no writes
  // Whether a reader of `set` may miss rows: the database is gone, or a commit of this server is
  // not in it yet.
  bool MayLack(const SnapshotSet& set) const { return stale() || !IsUpToDate(set); }
  bool MayLack() const { return MayLack(*Current()); }

  // Reads what changed and publishes it. Throws Unavailable. For the thread, and for tests.
  void Refresh();

 private:
  void Follow();
  // Whether the database has more than the current set, or another history than was told.
  bool Moved();
  core::Pin NewestIn(const SnapshotSet& set) const;
  std::shared_ptr<SnapshotSet> Nothing(int era) const;
  // Whether the database's history lacks a revision that was told.
  bool IsLost(const core::Pin& told) const;
  // Brings the set in step. False where the revision that it is of is no part of the database's
  // history (any more). That the newest one told is says nothing of it: a server that missed the
  // loss may have committed on the new history since.
  bool CatchUp(SnapshotSet& set);
  std::shared_ptr<SnapshotSet> ReadAnew(int era);
  using ReadDelta = RevisionStore::ReadDelta;
  std::shared_ptr<const FamilySnapshot> Reload(const FamilySnapshot& old, const ReadDelta& read);
  std::shared_ptr<const FamilySnapshot> StayBehind(const FamilySnapshot& old,
                                                   const SnapshotDelta& delta);
  FamilySnapshot LastReadable(const FamilySnapshot& nothing);
  void CheckIds() const;
  // Puts the record's row into the columns of the family's version in force; false where it does
  // not fit them.
  bool Renew(const FamilySnapshot& snapshot, int version, const TunedRecord& record);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const std::unique_ptr<Listener> listener_;
  FamilyVersions& versions_;
  std::function<void()> on_change_ = [] {};
  KnownHistory history_;
  std::atomic<bool> failed_{false};  // the thread's last look
  std::atomic<bool> rereading_{false};
  std::atomic<bool> following_{false};  // before Start() nobody asks
  std::atomic<bool> stopping_{false};
  std::atomic<std::chrono::steady_clock::time_point> known_current_;
  // When the database last said something. A large commit takes its time to be read, and is not
  // silence.
  std::atomic<std::chrono::steady_clock::time_point> answered_;
  std::atomic<std::int64_t> seen_{0};  // the database's newest revision, when it was last asked
  core::Histogram refreshes_;
  std::mutex refresh_;  // one refresh at a time
  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::shared_ptr<const SnapshotSet> current_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::server
