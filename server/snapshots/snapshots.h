// The current snapshots of all families. LISTEN updates them, with a poll as fallback. While the
// database does not respond, or the server reads everything again after a lost history, the last
// snapshots stay. They are marked as stale.
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

// Remembers the revisions that this server has sent to clients. So the server notices when a
// restore or a failover loses them.
class KnownHistory {
 public:
  // Records that a client knows the revision, or that a cache uses its number.
  void Saw(const core::Pin& revision) {
    const std::lock_guard lock(mutex_);
    // If two revisions have the same number, keeps the first one: it is the lost revision.
    if (newest_.number < revision.number) newest_ = revision;
  }
  // Records this server's own commit: later readers must not see an older revision.
  void Expect(const core::Pin& revision) {
    Saw(revision);
    std::int64_t known = expected_.load();
    while (known < revision.number && !expected_.compare_exchange_weak(known, revision.number)) {
    }
  }

  // The newest revision that a client knows. If the database still has that revision, it has every
  // earlier one.
  core::Pin newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  std::int64_t expected() const { return expected_.load(); }

  // Forgets own commits, because the server reads everything again.
  void ForgetExpected() { expected_ = 0; }
  // Forgets the `lost` revision, unless a client got a newer revision meanwhile.
  void Forget(const core::Pin& lost) {
    const std::lock_guard lock(mutex_);
    if (newest_ == lost) newest_ = {};
  }

 private:
  std::atomic<std::int64_t> expected_{0};
  mutable std::mutex mutex_;
  core::Pin newest_;  // guarded by mutex_
};

// A database that hangs blocks its callers without an error. The thread queries the database once a
// second. After this time without an answer, the database counts as silent.
inline constexpr double kSilentSeconds = 5;

struct SnapshotSet {
  std::map<std::int16_t, std::shared_ptr<const FamilySnapshot>> families;
  core::Pin revision;
  std::map<std::int16_t, core::Pin> evidence;  // see Heads
  // The number of lost histories that this server has found. A cache by revision numbers without
  // tokens is valid only within one era.
  int era = 0;

  core::Pin EvidenceOf(std::int16_t family) const {
    const auto found = evidence.find(family);
    return found == evidence.end() ? core::Pin() : found->second;
  }
  // Returns a text that changes with each write of measurements.
  std::string State() const {
    std::string state = revision.Text();
    for (const auto& [family, pin] : evidence) state += pin.token;
    return state;
  }
};

class Snapshots {
 public:
  Snapshots(const Definitions& definitions, ConnectionPool& pool, FamilyVersions& versions);
  Snapshots(const Snapshots&) = delete;
  Snapshots& operator=(const Snapshots&) = delete;
  ~Snapshots();

  // Reads everything once, then starts the thread that follows changes. Throws Unavailable.
  void Start();
  void Stop();
  // Set it before Start(). The thread calls it after a commit of any server.
  void OnChange(std::function<void()> callback) { on_change_ = std::move(callback); }

  // Never blocks on the database.
  std::shared_ptr<const SnapshotSet> Current() const;
  // Throws Unavailable only if the database has another file of the family.
  std::shared_ptr<const FamilySnapshot> Current(const core::Family& family) const;
  // Returns false if Current would throw. Callers that read all families must then skip this
  // family.
  bool Reads(const core::Family& family) const {
    return !Current()->families.at(definitions_.Id(family))->is_unreadable();
  }
  // Families with times that this server can read.
  std::vector<const core::Family*> Timed() const;

  // Records this server's own commit: later readers must not see an older revision. Number 0: the
  // commit made no revision.
  void Expect(const core::Pin& revision) {
    history_.Expect(revision);
    wrote_ = std::chrono::steady_clock::now();
  }
  // Records a revision that a client or a cache got from another source than a set.
  void Saw(const core::Pin& revision) { history_.Saw(revision); }
  // True if `set` has all commits of this server. Pass the set that you have read, because the
  // thread may publish a newer set meanwhile.
  bool IsUpToDate(const SnapshotSet& set) const {
    return set.revision.number >= history_.expected();
  }
  // True if the current set has the evidence of all commits of this server. It may be false for a
  // second after the set got this evidence.
  bool KnowsEvidence() const { return following_ && known_current_.load() > wrote_.load(); }
  // Returns the family's evidence, with all commits of this server. Takes it from the current set,
  // or from the database if the set may lack a commit. If the database does not respond, takes it
  // from the set.
  core::Pin Evidence(std::int16_t family) const;
  // Waits, usually only a moment, until Current() has all commits of this server. Returns false
  // after two seconds, or if the database does not respond.
  bool WaitUpToDate() const;

  // True if the database does not respond, or if the server reads everything again after a lost
  // history.
  bool stale() const { return rereading_ || silent(); }
  // True if the database does not respond, so that a query may block for long.
  bool silent() const {
    const bool says_nothing = following_ && core::SecondsSince(answered_.load()) > kSilentSeconds;
    return !rereading_ && (failed_ || says_nothing);
  }
  // Seconds since the current set was last known to be complete.
  double age() const { return core::SecondsSince(known_current_.load()); }
  // The number of revisions in the database, or of own commits, that the current set lacks.
  std::int64_t behind() const;
  // The duration of each update, in seconds.
  const core::Histogram& refreshes() const { return refreshes_; }

  bool read_only() const;  // the database responds but accepts no writes
  // True if `set` may lack rows: it is stale, or lacks a commit of this server.
  bool MayLack(const SnapshotSet& set) const { return stale() || !IsUpToDate(set); }
  bool MayLack() const { return MayLack(*Current()); }

  // Reads changes and publishes them. Throws Unavailable. The thread and tests call it.
  void Refresh();

 private:
  void Follow();
  // True if the database has newer rows than the current set, or another history than clients know.
  bool Moved();
  core::Pin NewestIn(const SnapshotSet& set) const;
  std::shared_ptr<SnapshotSet> Nothing(int era) const;
  // True if the database lacks a revision that a client knows.
  bool IsLost(const core::Pin& told) const;
  // Updates the set. Returns false if the database's history lacks the set's revision. (IsLost for
  // the newest known revision may not detect this, if another server has committed to the new
  // history since.)
  bool CatchUp(SnapshotSet& set);
  std::shared_ptr<SnapshotSet> ReadAnew(int era);
  using ReadDelta = RevisionStore::ReadDelta;
  std::shared_ptr<const FamilySnapshot> Reload(const FamilySnapshot& old, const ReadDelta& read);
  std::shared_ptr<const FamilySnapshot> StayBehind(const FamilySnapshot& old,
                                                   const SnapshotDelta& delta);
  FamilySnapshot LastReadable(const FamilySnapshot& nothing);
  void CheckIds() const;
  // Converts the record's row to the columns of the current family version. Returns false if the
  // row does not fit.
  bool Renew(const FamilySnapshot& snapshot, int version, const TunedRecord& record);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const std::unique_ptr<Listener> listener_;
  FamilyVersions& versions_;
  std::function<void()> on_change_ = [] {};
  KnownHistory history_;
  std::atomic<bool> failed_{false};  // the thread's last check failed
  std::atomic<bool> rereading_{false};
  std::atomic<bool> following_{false};  // false before Start(): nothing queries the database
  std::atomic<bool> stopping_{false};
  std::atomic<std::chrono::steady_clock::time_point> known_current_;
  std::atomic<std::chrono::steady_clock::time_point> wrote_{};  // time of the last own commit
  // Time of the database's last answer. Each part of a large update counts as an answer.
  std::atomic<std::chrono::steady_clock::time_point> answered_;
  std::atomic<std::int64_t> seen_{0};  // the database's newest revision at the last query
  core::Histogram refreshes_;
  std::mutex refresh_;  // one refresh at a time
  mutable std::mutex mutex_;
  mutable std::condition_variable published_;
  std::shared_ptr<const SnapshotSet> current_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace tunehub::server
