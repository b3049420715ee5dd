// Gives jobs to agents, and renews and expires their leases, in PostgreSQL. All times of leases are
// from the database's clock, so several servers may work on one database. Every call may throw
// Unavailable.
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

// A job stores the reasons of at most this many of its last releases.
inline constexpr std::size_t kReleasesKept = 20;

// An agent that claims a job. A job fits if it is for the agent's gfx, for its CU count or any
// count, and for one of these families.
struct Claimant {
  std::string agent;
  std::string gfx;
  int cu_num = 0;
  std::optional<std::vector<std::int16_t>> families;  // absent: any
  // true: jobs with the purpose kVerify also fit
  bool verifies = false;
  std::string instance = {};              // "": the agent's name
  std::vector<std::int64_t> except = {};  // jobs that the agent released because it cannot do them
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
  // the time before an agent that failed a job gets the job again
  std::chrono::milliseconds rest{};
  int verify_hours = 0;  // a setting; see Verifier

  // The interval between two calls of WatchLeases by a server. It fits even short leases.
  std::chrono::milliseconds look() const {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(1), lease / 4);
  }
  // If no server looks for longer than this, no server ran or the database could not be reached.
  std::chrono::milliseconds silence() const { return 3 * look(); }
};

class LeaseStore {
 public:
  explicit LeaseStore(ConnectionPool& pool, QueueTimes times) : pool_(pool), times_(times) {}

  // Returns the claimant's current job with a renewed lease, or else the next job that fits.
  std::optional<JobRecord> Claim(const Claimant& claimant);
  // Errors of Heartbeat, Complete, Fail and Release: unknown_job; lease_lost if the agent does not
  // have the job at that epoch. A repeated call is not an error. After the lease has expired, the
  // agent may still renew or complete the job until another agent gets the job.
  core::Result<JobRecord> Heartbeat(const Lease& lease, const std::optional<std::string>& progress);
  // Errors: also unknown_run.
  core::Result<JobRecord> Complete(const Lease& lease, std::optional<std::int64_t> run);
  core::Result<JobRecord> Fail(const Lease& lease, const std::string& reason, bool park);
  // `reason`: why the agent cannot do the job.
  core::Result<JobRecord> Release(const Lease& lease,
                                  const std::optional<std::string>& reason = {});
  // Queues a parked job again. Errors: unknown_job, not_parked.
  core::Result<JobRecord> Retry(std::int64_t id, const Writer& by);
  // Call it every times().look(). During a gap, no agent could renew a lease. So after a gap, each
  // open lease gets its full length again. Returns the number of such leases.
  std::size_t WatchLeases();
  // Queues or parks the jobs with an expired lease. Returns their number. Does nothing after a gap.
  std::size_t Expire();
  // Returns those `keys` that were measured since the job's creation, by a search or with a
  // candidate other than the default.
  std::vector<core::Hash128> Arrived(std::int64_t job, const std::vector<core::Hash128>& keys);

  const QueueTimes& times() const { return times_; }
  // This server's counts since its start, without those of other servers.
  std::size_t expired() const { return expired_; }  // leases
  std::size_t renewed() const { return renewed_; }  // leases, after a gap

 private:
  ConnectionPool& pool_;
  const QueueTimes times_;
  std::atomic<std::size_t> expired_{0}, renewed_{0};
};

}  // namespace tunehub::server
