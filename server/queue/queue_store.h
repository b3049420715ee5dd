// Demand, jobs and agents in PostgreSQL. Every call may throw Unavailable; calls are safe from any
// thread of any number of servers. Leases are judged by the database's clock alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"
#include "server/queue/queue_records.h"

namespace tunehub::server {

class ConnectionPool;

// A job's reasons name so many of those that handed it back, the last ones. Failures park it.
inline constexpr std::size_t kReleasesKept = 20;

class DemandStore {
 public:
  explicit DemandStore(ConnectionPool& pool) : pool_(pool) {}

  // Adds counts; `render` makes the receipt from the number of shapes that are new. Rows of one id
  // must be folded. Errors: idempotency_key_reused.
  core::Result<WriteOutcome> AddDemand(const WriteRequest& request,
                                       const std::vector<DemandRow>& rows,
                                       const std::function<std::string(std::size_t)>& render);
  // The most missed first.
  std::vector<DemandRecord> ListDemand(const DemandFilter& filter);
  // When the target's demand, its gfx's or any's last grew, as text to compare; "": there is none.
  std::string NewestDemand(const std::string& gfx, int cu_num);
  // All that is asked for by a target: for it, for its gfx, or for any.
  std::vector<DemandRecord> ReadDemand(std::int16_t family, const std::string& gfx, int cu_num);

 private:
  ConnectionPool& pool_;
};

// Jobs as people see them, and the agents that are there to do them.
class JobStore {
 public:
  explicit JobStore(ConnectionPool& pool) : pool_(pool) {}

  // `render` makes the receipt from the ids, in the order of the jobs. Errors:
  // idempotency_key_reused.
  using Render = std::function<std::string(const std::vector<std::int64_t>& ids)>;
  core::Result<WriteOutcome> AddJobs(const WriteRequest& request,
                                     const std::vector<JobContent>& jobs, const Render& render);
  // AddJobs of what `choose` makes of the open jobs whose target overlaps (gfx, cu_num), with
  // `or_done` of the finished ones too, under a lock that keeps two plans from choosing the same.
  using Choose = std::function<std::vector<JobContent>(const std::vector<JobContent>& open)>;
  core::Result<WriteOutcome> PlanJobs(const WriteRequest& request, const std::string& gfx,
                                      int cu_num, bool or_done, const Choose& choose,
                                      const Render& render);
  core::Result<JobRecord> FindJob(std::int64_t id);          // error unknown_job
  std::vector<JobRecord> ListJobs(const JobFilter& filter);  // the newest first
  JobCounts CountJobs();
  QueueState ReadQueue();
  // Of shapes ([{"place","family","gfx","cu_num","shape"}]) the open jobs that will tune them, by
  // place.
  std::map<std::size_t, OpenJob> FindOpenJobs(const std::string& shapes);

  // An agent says that it is there, and what it is doing.
  AgentRecord TouchAgent(const AgentContent& agent);
  std::vector<AgentRecord> ListAgents(const AgentPage& after, std::size_t limit);

 private:
  ConnectionPool& pool_;
};

// Jobs as agents hold them.
class LeaseStore {
 public:
  explicit LeaseStore(ConnectionPool& pool, QueueTimes times = {}) : pool_(pool), times_(times) {}

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
  std::size_t DeleteOld();

  const QueueTimes& times() const { return times_; }
  // Since the start, by this server alone.
  std::size_t expired() const { return expired_; }  // leases
  std::size_t renewed() const { return renewed_; }  // after a silence

 private:
  // The job where the holder did before what it says now; else error lease_lost, unknown_job.
  core::Result<JobRecord> Lost(const Lease& lease,
                               bool (*said_before)(const JobRecord&, const Lease&));

  ConnectionPool& pool_;
  const QueueTimes times_;
  std::atomic<std::size_t> expired_{0}, renewed_{0};
};

}  // namespace tunehub::server
