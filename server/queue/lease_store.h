// The leases of jobs in PostgreSQL: hands jobs out, renews and expires leases. Several servers may
// work on one database, because only its clock judges leases. Every call may throw Unavailable.
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

// A claiming agent. Jobs fit if they are for its gfx, its CU count or any, and these families.
struct Claimant {
  std::string agent;
  std::string gfx;
  int cu_num = 0;
  std::optional<std::vector<std::int16_t>> families;  // absent: any
  bool verifies = false;                              // jobs with the purpose kVerify fit, too
  std::string instance = {};                          // "": the agent's name
  std::vector<std::int64_t> except = {};              // jobs that it released as not fitting
  std::string owner = kDefaultOwner;
};

// A lease as a request names it.
struct Lease {
  std::int64_t job = 0;
  std::string agent;
  int epoch = 0;
  std::string instance = {};  // "": the agent's name
  std::string owner = kDefaultOwner;
};

// Times of the queue, by the database's clock.
struct QueueTimes {
  std::chrono::milliseconds lease{};  // the length of a lease; a setting, as is `rest`
  std::chrono::milliseconds rest{};   // how long the agent that failed a job does not get it again
  int verify_hours = 0;               // a setting: Verifier's

  // The interval between two calls of WatchLeases by a server, also for short leases.
  std::chrono::milliseconds look() const {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(1), lease / 4);
  }
  // A longer interval is a gap: no server ran, or the database was gone.
  std::chrono::milliseconds silence() const { return 3 * look(); }
};

class LeaseStore {
 public:
  explicit LeaseStore(ConnectionPool& pool, QueueTimes times) : pool_(pool), times_(times) {}

  // The job that the claimant already holds, with a renewed lease; else the next job that fits.
  std::optional<JobRecord> Claim(const Claimant& claimant);
  // Errors of Heartbeat, Complete, Fail and Release: unknown_job, and lease_lost if the agent does
  // not hold the job at that epoch. A repeated call is no error. After its lease has expired, an
  // agent may still renew or complete the job until another agent gets it.
  core::Result<JobRecord> Heartbeat(const Lease& lease, const std::optional<std::string>& progress);
  // Also error unknown_run.
  core::Result<JobRecord> Complete(const Lease& lease, std::optional<std::int64_t> run);
  core::Result<JobRecord> Fail(const Lease& lease, const std::string& reason, bool park);
  // `reason`: why the job does not fit the holder.
  core::Result<JobRecord> Release(const Lease& lease,
                                  const std::optional<std::string>& reason = {});
  // Queues a parked job again. Errors: unknown_job, not_parked.
  core::Result<JobRecord> Retry(std::int64_t id, const Writer& by);
  // Call it every times().look(). After a gap, in which no agent could renew a lease, each open
  // lease gets its full length again. Answers how many did.
  std::size_t WatchLeases();
  // Queues or parks the jobs with an expired lease; answers how many. Does nothing after a gap.
  std::size_t Expire();
  // The shape keys of `keys` that were measured since the job was created, by a search or with a
  // candidate other than the default.
  std::vector<core::Hash128> Arrived(std::int64_t job, const std::vector<core::Hash128>& keys);

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
