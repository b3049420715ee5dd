// Jobs as agents hold them, in PostgreSQL: handed out, renewed, expired. Leases are judged by the
// database's clock alone, by any number of servers. Every call may throw Unavailable.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/queue/job_store.h"

namespace tunehub::server {

class ConnectionPool;

// A job's reasons name so many of those that handed it back, the last ones. Failures park it.
inline constexpr std::size_t kReleasesKept = 20;

// Who asks for work, and what fits: jobs of its gfx for its CU count or any, of these families.
struct Claimant {
  std::string agent;
  std::string gfx;
  int cu_num = 0;
  std::optional<std::vector<std::int16_t>> families;  // absent: any
  bool measures = false;                              // jobs to measure fit, too
  std::string instance = {};                          // "": the agent's name
  std::vector<std::int64_t> except = {};              // jobs that it knows not to fit
  std::string owner = kDefaultOwner;
};

// What a holder of a job says it holds.
struct Lease {
  std::int64_t job = 0;
  std::string agent;
  int epoch = 0;
  std::string instance = {};  // "": the agent's name
  std::string owner = kDefaultOwner;
};

// How long things last, by the database's clock.
struct QueueTimes {
  std::chrono::milliseconds lease{};  // a setting, as `rest` is
  std::chrono::milliseconds rest{};   // of a failed job, from the agent that failed it
  std::chrono::milliseconds retention{2'592'000'000};  // of finished jobs: 30 days

  // Between two looks of a server at the leases; often enough for the shortest of them.
  std::chrono::milliseconds look() const {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(1), lease / 4);
  }
  // So long no server looks only where none, or no database, is there.
  std::chrono::milliseconds silence() const { return 3 * look(); }
};

class LeaseStore {
 public:
  explicit LeaseStore(ConnectionPool& pool, QueueTimes times) : pool_(pool), times_(times) {}

  // The claimant's own job, its lease renewed, or the next that fits; nothing where none does.
  std::optional<JobRecord> Claim(const Claimant& claimant);
  // Each but Retry: error lease_lost where the job is not the agent's at that epoch (any more),
  // unknown_job. What was done before and is said again is no error. Whoever is late goes on and
  // completes as long as nobody else was handed the job.
  core::Result<JobRecord> Heartbeat(const Lease& lease, const std::optional<std::string>& progress);
  // Error unknown_run.
  core::Result<JobRecord> Complete(const Lease& lease, std::optional<std::int64_t> run);
  core::Result<JobRecord> Fail(const Lease& lease, const std::string& reason, bool park);
  // `reason`: why the job is none of the holder's.
  core::Result<JobRecord> Release(const Lease& lease,
                                  const std::optional<std::string>& reason = {});
  // A parked job is queued again. Errors: unknown_job, not_parked.
  core::Result<JobRecord> Retry(std::int64_t id, const Writer& by);
  // To be called every times().look(). Where nobody did for a while, database or servers were away
  // and nobody could renew a lease: each open one gets its full length. Answers how many.
  std::size_t WatchLeases();
  // Puts jobs with an expired lease back, or parks them; answers how many. None after such a
  // silence.
  std::size_t Expire();
  // Of these keys, those for which a search, or another candidate than the default, was measured
  // since the job was made.
  std::vector<core::Hash128> Arrived(std::int64_t job, const std::vector<core::Hash128>& keys);
  // Deletes what was kept long enough: finished jobs, agents not seen since, receipts of demand.
  void DeleteOld();

  const QueueTimes& times() const { return times_; }
  // Since the start, by this server alone.
  std::size_t expired() const { return expired_; }  // leases
  std::size_t renewed() const { return renewed_; }  // after a silence

 private:
  ConnectionPool& pool_;
  const QueueTimes times_;
  std::atomic<std::size_t> expired_{0}, renewed_{0};
};

}  // namespace tunehub::server
