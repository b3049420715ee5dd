// The leases of jobs in PostgreSQL: gives jobs to agents, renews and expires leases. Only the
// database's clock decides about leases, so several servers may work on one database. Every call
// may throw Unavailable.
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

// A job keeps the reasons of its last releases, at most this many.
inline constexpr std::size_t kReleasesKept = 20;

// An agent that claims. Jobs fit if they are for its gfx, for its CU count or any, and for these
// families.
struct Claimant {
  std::string agent;
  std::string gfx;
  int cu_num = 0;
  std::optional<std::vector<std::int16_t>> families;  // absent: any
  bool verifies = false;                              // jobs with purpose kVerify also fit
  std::string instance = {};                          // "": the agent's name
  std::vector<std::int64_t> except = {};  // jobs that it released because they do not fit
  std::string owner = kDefaultOwner;
};

// A lease in a request.
struct Lease {
  std::int64_t job = 0;
  std::string agent;
  int epoch = 0;
  std::string instance = {};  // "": the agent's name
  std::string owner = kDefaultOwner;
};

// Times of the queue by the database's clock.
struct QueueTimes {
  std::chrono::milliseconds lease{};  // the length of a lease; a setting, like `rest`
  std::chrono::milliseconds rest{};   // before the agent that failed a job gets it again
  int verify_hours = 0;               // a setting; see Verifier

  // The interval between two calls of WatchLeases by a server, also for short leases.
  std::chrono::milliseconds look() const {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(1), lease / 4);
  }
  // A longer interval is a gap: no server ran, or the database could not be reached.
  std::chrono::milliseconds silence() const { return 3 * look(); }
};

class LeaseStore {
 public:
  explicit LeaseStore(ConnectionPool& pool, QueueTimes times) : pool_(pool), times_(times) {}

  // The claimant's current job with a renewed lease, else the next job that fits.
  std::optional<JobRecord> Claim(const Claimant& claimant);
  // Errors of Heartbeat, Complete, Fail and Release: unknown_job; lease_lost if the agent does not
  // have the job at that epoch. A repeated call is no error. After its lease has expired, an agent
  // may still renew or complete the job until another agent gets it.
  core::Result<JobRecord> Heartbeat(const Lease& lease, const std::optional<std::string>& progress);
  // Error unknown_run in addition.
  core::Result<JobRecord> Complete(const Lease& lease, std::optional<std::int64_t> run);
  core::Result<JobRecord> Fail(const Lease& lease, const std::string& reason, bool park);
  // `reason`: why the job does not fit its holder.
  core::Result<JobRecord> Release(const Lease& lease,
                                  const std::optional<std::string>& reason = {});
  // Queues a parked job again. Errors: unknown_job, not_parked.
  core::Result<JobRecord> Retry(std::int64_t id, const Writer& by);
  // Call it every times().look(). In a gap, no agent could renew a lease. So each open lease then
  // gets its full length again. Returns the number of these leases.
  std::size_t WatchLeases();
  // Queues or parks the jobs with an expired lease. Returns their number. Does nothing after a gap.
  std::size_t Expire();
  // The shape keys of `keys` that were measured since the job's creation, by a search or with a
  // candidate other than the default.
  std::vector<core::Hash128> Arrived(std::int64_t job, const std::vector<core::Hash128>& keys);

  const QueueTimes& times() const { return times_; }
  // Counts since the start of this server, without other servers.
  std::size_t expired() const { return expired_; }  // leases
  std::size_t renewed() const { return renewed_; }  // leases, after a gap

 private:
  ConnectionPool& pool_;
  const QueueTimes times_;
  std::atomic<std::size_t> expired_{0}, renewed_{0};
};

}  // namespace tunehub::server
