// Jobs and agents in PostgreSQL, for people who create and list them. Times are RFC 3339 in UTC;
// "": never. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/row/target.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

inline constexpr const char* kTune = "tune";      // look for the fastest candidate
inline constexpr const char* kVerify = "verify";  // measure the default and known candidates again

struct JobContent {
  std::int16_t family = 0;
  std::string purpose = kTune;
  std::string gfx;
  int cu_num = 0;  // 0: any
  int priority = 0;
  std::int64_t weight = 0;
  std::string campaign;  // "": none
  std::string shapes;    // JSON array
  std::int64_t id = 0;   // 0: not stored
  // The shape keys of `shapes` on the target. The database no longer offers their demand to claims
  // (mark_demand.sql).
  std::vector<core::Hash128> keys = {};
  // For kVerify: no_default, in_doubt, unsettled, unconfirmed, tied, implausible, toolchain or age.
  // "" for kTune.
  std::string why = {};
};

struct JobRecord : JobContent {
  std::string state;  // queued, running, done, parked
  int epoch = 0;
  int tries = 0;
  std::string reasons;   // JSON array
  std::string agent;     // the last agent; "": none yet
  std::string instance;  // the instance of that agent
  std::string owner;     // the owner of that agent's API key
  bool again = false;    // in a claim's answer, true: another agent had the job before
  std::string progress;  // JSON; "": none
  std::optional<std::int64_t> run;
  std::string lease_expires, created, claimed, finished;
};

// Served rows that the hub should verify now.
struct DueRows {
  std::int16_t family = 0;
  std::string why;  // see JobContent
  std::set<core::Hash128> keys;
};

// A job that is not done.
struct OpenJob {
  std::int64_t id = 0;
  std::string state;
};

struct JobFilter {
  std::optional<std::string> state, gfx, campaign, agent;
  std::optional<std::int16_t> family;
  std::int64_t before = 0;
  std::size_t limit = 0;
};

struct AgentContent {
  std::string name, gfx;
  int cu_num = 0;
  std::string host, version, doing;
  std::string instance = {};  // "": the agent's name
  std::string owner = kDefaultOwner;
};

// The last agent of a page. Without an instance: all agents with that name.
struct AgentPage {
  std::string name, instance;
  std::string owner = kDefaultOwner;
};

struct AgentRecord : AgentContent {
  std::string first_seen, last_seen;
  std::optional<std::int64_t> job;  // the agent's current job
};

// How a device's times of defaults (us_reference) compare with its first times of the same
// defaults.
struct DeviceDrift {
  struct Day {
    std::string day;        // "2026-01-31", UTC
    double ratio = 1;       // geometric mean of time / first time
    std::int64_t keys = 0;  // the number of compared times
  };
  std::string device;     // "node1 MI300X 0000:c1:00.0"
  std::string since;      // the day of its first time
  std::vector<Day> days;  // ascending, not empty
};

struct JobCounts {
  std::int64_t queued = 0, running = 0, done = 0, parked = 0;
};

// A target's open jobs, and its jobs that were done within a day.
struct QueueOfTarget {
  std::string gfx;
  int cu_num = 0;  // 0: jobs for any CU count
  std::int64_t queued = 0, running = 0, parked = 0;
  std::int64_t shapes = 0;  // number of shapes in queued and running jobs
  std::int64_t done_jobs = 0, done_shapes = 0;
  std::optional<double> done_within;  // seconds since the claim of the day's first done job
};

// Returns the seconds until the queued and running jobs are done, at the speed of the last day
// (done shapes / `done_within`). Absent if no job was done, or if no job is open.
std::optional<double> SecondsToEmpty(const QueueOfTarget& queue);

struct QueueState {
  std::vector<QueueOfTarget> targets;
  std::vector<std::int64_t>
      open_by_hour;  // open jobs at each of 25 hours, from 24 hours ago to now
};

class JobStore {
 public:
  explicit JobStore(ConnectionPool& pool) : pool_(pool) {}

  // `render` makes the receipt from the ids, in the order of the jobs. Errors:
  // idempotency_key_reused.
  using Render = std::function<std::string(const std::vector<std::int64_t>& ids)>;
  core::Result<WriteOutcome> AddJobs(const WriteRequest& request,
                                     const std::vector<JobContent>& jobs, const Render& render);
  // `plan` gets the families' open jobs whose target overlaps `target`, and the done jobs that have
  // `demand`. It adds jobs by `insert`, which returns their ids in order. Then `plan` makes the
  // receipt. A lock prevents two plans from choosing the same shapes. Errors:
  // idempotency_key_reused.
  using Insert = std::function<std::vector<std::int64_t>(const std::vector<JobContent>& jobs)>;
  using Plan =
      std::function<std::string(const std::vector<JobContent>& open, const Insert& insert)>;
  core::Result<WriteOutcome> PlanJobs(const WriteRequest& request, const core::Target& target,
                                      const std::vector<std::int16_t>& families,
                                      const std::vector<core::Hash128>& demand, const Plan& plan);
  // Calls `plan` to make jobs from at most `most` due rows. Does nothing if no row is due, or if
  // jobs to verify used `hours` or more of the target's devices within a day. Returns true if rows
  // were due.
  using PlanDueRows = std::function<std::vector<JobContent>(const DueRows& due,
                                                            const std::vector<JobContent>& open)>;
  bool PlanDue(const core::Target& target, const std::vector<std::int16_t>& families, int hours,
               std::size_t most, const PlanDueRows& plan);
  core::Result<JobRecord> FindJob(std::int64_t id);          // error unknown_job
  std::vector<JobRecord> ListJobs(const JobFilter& filter);  // the newest first
  JobCounts CountJobs();
  QueueState ReadQueue();
  // Returns the open jobs that will tune these shapes, by the member "place". `shapes`:
  // [{"place","family","gfx","cu_num","shape"}].
  std::map<std::size_t, OpenJob> FindOpenJobs(const std::string& shapes);

  // Records an agent's heartbeat and activity.
  AgentRecord TouchAgent(const AgentContent& agent);
  std::vector<AgentRecord> ListAgents(const AgentPage& after, std::size_t limit);
  // The drift of the last 90 days, for at most 100 devices: those with the most recent days.
  std::vector<DeviceDrift> ListDrift();

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
