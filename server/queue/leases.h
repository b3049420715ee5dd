// Work for agents: claimed, kept, finished or handed back. Every call may throw Unavailable.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "core/system/woken_thread.h"
#include "server/db/connection_pool.h"
#include "server/queue/lease_store.h"
#include "server/queue/planner.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// Who asks for work, and what it can do.
struct Claim {
  std::string agent;
  std::string instance;  // "": the agent's name
  core::Target target;
  bool measures = false;                                     // jobs to measure fit, too
  std::optional<std::vector<const core::Family*>> families;  // absent: any
  std::vector<std::int64_t> except = {};                     // jobs that it knows not to fit
  std::string owner = kDefaultOwner;
};

class Leases {
 public:
  // `planner` null: a claim makes no jobs of demand.
  Leases(const Definitions& definitions, ConnectionPool& pool, const QueueTimes& times,
         const Snapshots& snapshots, Planner* planner)
      : store(pool, times), definitions_(definitions), snapshots_(snapshots), planner_(planner) {}

  // The next job, with what is still to be tuned of it: a shape whose results arrived meanwhile,
  // from an agent that lost its lease or from anybody else, is not tuned again. Where there is
  // none, demand becomes jobs first.
  std::optional<JobRecord> Take(const Claim& claim);

  std::uint64_t taken() const { return taken_; }  // jobs, since the start, by this server alone

  LeaseStore store;  // of the leases that are held

 private:
  // As LeaseStore::Claim; its shapes are those whose results have not arrived. A job of which all
  // arrived is completed, and the next is looked for. A job to measure is handed out as it is.
  std::optional<JobRecord> ClaimNotArrived(const Claimant& claimant);
  // The job's shapes but those whose results arrived. JSON, as the job's.
  std::string NotArrived(const JobRecord& job, const core::Target& target);
  std::vector<const core::Family*> Tunable() const;

  const Definitions& definitions_;
  const Snapshots& snapshots_;
  Planner* const planner_;
  std::atomic<std::uint64_t> taken_{0};
};

// What the queue needs done from time to time: leases begin anew after an outage, expired ones go
// back, old records go. Any number of servers may do so on one database.
class QueueKeeper {
 public:
  explicit QueueKeeper(LeaseStore& leases) : leases_(leases) {}
  QueueKeeper(const QueueKeeper&) = delete;
  QueueKeeper& operator=(const QueueKeeper&) = delete;
  ~QueueKeeper() { Stop(); }

  void Start();
  void Stop() { thread_.Stop(); }

 private:
  void Keep();
  // True where it could.
  bool Sweep(bool delete_old);

  LeaseStore& leases_;
  core::WokenThread thread_;
};

}  // namespace tunehub::server
