// Jobs as agents hold them, in PostgreSQL: handed out, renewed, expired. Only the database's clock
// judges leases; several servers may do so. Every call may throw Unavailable.
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

// A job keeps the reasons of this many releases, the latest ones.
inline constexpr std::size_t kReleasesKept = 20;

// A claiming agent, and the jobs that fit: its gfx, its CU count or any, and these families.
struct Claimant {
  std::string agent;
  std::string gfx;
  int cu_num = 0;
  std::optional<std::vector<std::int16_t>> families;  // absent: any
  bool measures = false;                              // jobs to measure fit, too
  std::string instance = {};                          // "": the agent's name
  std::vector<std::int64_t> except = {};              // jobs that it released as not fitting
  std::string owner = kDefaultOwner;
};

// A lease as its holder states it.
struct Lease {
  std::int64_t job = 0;
  std::string agent;
  int epoch = 0;
  std::string instance = {};  // "": the agent's name
  std::string owner = kDefaultOwner;
};

// Durations by the database's clock.
struct QueueTimes {
  std::chrono::milliseconds lease{};  // a setting, as `rest`
  std::chrono::milliseconds rest{};   // a failed job is withheld from the agent that failed it
  std::chrono::milliseconds retention{2'592'000'000};  // finished jobs are kept 30 days

  // The interval between a server's looks at the leases: short enough for the shortest lease.
  std::chrono::milliseconds look() const {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(1), lease / 4);
  }
  // A longer gap means that no server, or no database, was there.
  std::chrono::milliseconds silence() const { return 3 * look(); }
};

class LeaseStore {
 public:
  explicit LeaseStore(ConnectionPool& pool, QueueTimes times) : pool_(pool), times_(times) {}

  // The claimant's own job with its lease renewed, else the next job that fits; absent: none.
  std::optional<JobRecord> Claim(const Claimant& claimant);
  // Every step but Retry: error lease_lost if the agent does not hold the job at that epoch,
  // unknown_job. A repeated step is no error. A late holder may go on until another agent gets the
  // job.
  core::Result<JobRecord> Heartbeat(const Lease& lease, const std::optional<std::string>& progress);
  // Error unknown_run.
  core::Result<JobRecord> Complete(const Lease& lease, std::optional<std::int64_t> run);
  core::Result<JobRecord> Fail(const Lease& lease, const std::string& reason, bool park);
  // `reason`: why the job does not fit the holder.
  core::Result<JobRecord> Release(const Lease& lease,
                                  const std::optional<std::string>& reason = {});
  // Queues a parked job again. Errors: unknown_job, not_parked.
  core::Result<JobRecord> Retry(std::int64_t id, const Writer& by);
  // Call it every times().look(). After a gap, in which no agent could renew, each open lease gets
  // its full length. Answers how many.
  std::size_t WatchLeases();
  // Queues or parks jobs with an expired lease; answers how many. None right after a gap.
  std::size_t Expire();
  // Those of `keys` that a search, or a candidate other than the default, measured since the job
  // was created.
  std::vector<core::Hash128> Arrived(std::int64_t job, const std::vector<core::Hash128>& keys);
  // Deletes old finished jobs, agents and receipts of demand.
  void DeleteOld();

  const QueueTimes& times() const { return times_; }
  // Since the start, by this server alone.
  std::size_t expired() const { return expired_; }  // leases
  std::size_t renewed() const { return renewed_; }  // leases, after a gap

 private:
  ConnectionPool& pool_;
  const QueueTimes times_;
  std::atomic<std::size_t> expired_{0}, renewed_{0};
};

}  // namespace tunehub::server
