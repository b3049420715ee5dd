// What the queue's tables hold, as plain structs. Times are RFC 3339 in UTC; "": never.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash128.h"
#include "server/db/writer.h"

namespace tunehub::server {

// A shape's demand to be added to what there is.
struct DemandRow {
  core::Hash128 id;  // of family, target and shape
  std::int16_t family = 0;
  std::string gfx;    // "": any
  int cu_num = 0;     // 0: any
  std::string shape;  // JSON object
  std::int64_t count = 1;
};

struct DemandRecord : DemandRow {
  std::string first_seen, last_seen;
};

// Where a list of demand goes on: behind the last record of the page before.
struct DemandPage {
  std::int64_t count = 0;
  core::Hash128 id;
};

struct DemandFilter {
  std::optional<std::int16_t> family;
  std::optional<std::string> gfx;
  std::optional<int> cu_num;
  std::optional<DemandPage> after;
  std::size_t limit = 0;
};

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

struct QueueState {
  std::vector<QueueOfTarget> targets;
  std::vector<std::int64_t>
      open_by_hour;  // jobs that were not done, 24 hours ago to now: 25 of them
};

// How long things last, by the database's clock.
struct QueueTimes {
  std::chrono::milliseconds lease{120'000};
  std::chrono::milliseconds rest{60'000};  // of a failed job, from the agent that failed it
  std::chrono::milliseconds retention{2'592'000'000};  // of finished jobs: 30 days

  // Between two looks of a server at the leases; often enough for the shortest of them.
  std::chrono::milliseconds look() const {
    return std::min<std::chrono::milliseconds>(std::chrono::seconds(1), lease / 4);
  }
  // So long no server looks only where none, or no database, is there.
  std::chrono::milliseconds silence() const { return 3 * look(); }
};

}  // namespace tunehub::server
