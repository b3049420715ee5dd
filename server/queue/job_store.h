// Jobs as people see them, and agents, in PostgreSQL. Times are RFC 3339 in UTC; "": never. Every
// call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

inline constexpr const char* kTune = "tune";        // look for the fastest candidate
inline constexpr const char* kMeasure = "measure";  // the known ones again, until runs agree

struct JobContent {
  std::int16_t family = 0;
  std::string purpose = kTune;
  std::string gfx;
  int cu_num = 0;  // 0: any
  int priority = 0;
  std::int64_t weight = 0;
  std::string campaign;  // "": none
  std::string shapes;    // JSON array
};

struct JobRecord : JobContent {
  std::int64_t id = 0;
  std::string state;  // queued, running, done, parked
  int epoch = 0;
  int tries = 0;
  std::string reasons;   // JSON array
  std::string agent;     // the last one; "": none yet
  std::string instance;  // of that agent
  std::string owner;     // and whose key it came with
  bool again = false;    // of a claim: it was handed out before
  std::string progress;  // JSON; "": none
  std::optional<std::int64_t> run;
  std::string lease_expires, created, claimed, finished;
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

// Where a list of agents goes on: behind this one, or without an instance behind all of the name.
struct AgentPage {
  std::string name, instance;
  std::string owner = kDefaultOwner;
};

struct AgentRecord : AgentContent {
  std::string first_seen, last_seen;
  std::optional<std::int64_t> job;  // that it holds now
};

struct JobCounts {
  std::int64_t queued = 0, running = 0, done = 0, parked = 0;
};

// What a target's agents have before them, and what they did of it within a day.
struct QueueOfTarget {
  std::string gfx;
  int cu_num = 0;  // 0: jobs for any
  std::int64_t queued = 0, running = 0, parked = 0;
  std::int64_t shapes = 0;  // of the queued and the running jobs
  std::int64_t done_jobs = 0, done_shapes = 0;
  std::optional<double> done_within;  // seconds since the first of the done ones was handed out
};

// Seconds until what is queued and running is done, at the pace of the last day: its shapes per
// second since the first of them was handed out. Nothing where none was done in it, or none waits.
std::optional<double> SecondsToEmpty(const QueueOfTarget& queue);

struct QueueState {
  std::vector<QueueOfTarget> targets;
  std::vector<std::int64_t>
      open_by_hour;  // jobs that were not done, 24 hours ago to now: 25 of them
};

class JobStore {
 public:
  explicit JobStore(ConnectionPool& pool) : pool_(pool) {}

  // `render` makes the receipt from the ids, in the order of the jobs. Errors:
  // idempotency_key_reused.
  using Render = std::function<std::string(const std::vector<std::int64_t>& ids)>;
  core::Result<WriteOutcome> AddJobs(const WriteRequest& request,
                                     const std::vector<JobContent>& jobs, const Render& render);
  // `plan` makes the receipt from the open jobs whose target overlaps (gfx, cu_num), with `or_done`
  // of the finished ones too, and adds its jobs by `insert`, which answers their ids in their
  // order. Under a lock that keeps two plans from choosing the same. Errors:
  // idempotency_key_reused.
  using Insert = std::function<std::vector<std::int64_t>(const std::vector<JobContent>& jobs)>;
  using Plan =
      std::function<std::string(const std::vector<JobContent>& open, const Insert& insert)>;
  core::Result<WriteOutcome> PlanJobs(const WriteRequest& request, const std::string& gfx,
                                      int cu_num, bool or_done, const Plan& plan);
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

}  // namespace tunehub::server
