// Jobs for agents that ask for work. Every call may throw Unavailable.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/db/connection_pool.h"
#include "server/queue/lease_store.h"
#include "server/queue/planner.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

class Claims {
 public:
  // `plan`: a claim that finds no job makes jobs of demand.
  Claims(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
         LeaseStore& leases, Planner& planner, bool plan)
      : definitions_(definitions),
        pool_(pool),
        snapshots_(snapshots),
        leases_(leases),
        planner_(planner),
        plan_(plan) {}

  // The next job, with what is still to be tuned of it: a shape whose results arrived meanwhile,
  // from an agent that lost its lease or from anybody else, is not tuned again. Where there is
  // none, demand becomes jobs first.
  std::optional<JobRecord> Take(const Claimant& claimant);

  std::uint64_t taken() const { return taken_; }  // jobs, since the start, by this server alone

 private:
  struct Seen {
    std::string newest;  // the demand that the last plan knew
    std::chrono::steady_clock::time_point asked;
  };

  // As LeaseStore::Claim; its shapes are those whose results have not arrived. A job of which all
  // arrived is completed, and the next is looked for. A job to measure is handed out as it is.
  std::optional<JobRecord> TakeNotArrived(const Claimant& claimant);
  // The job's shapes but those whose results arrived. JSON, as the job's.
  std::string NotArrived(const JobRecord& job, const core::Target& target);
  // Plans what was asked for by the claimant's target, once for each change of the demand. True
  // where there are new jobs. A shape that any job held before is left out: what was tried and is
  // not tuned still, is not tried for ever.
  bool PlanDemand(const Claimant& claimant);
  // Those that the claimant names, else all that can be tuned.
  std::vector<const core::Family*> FamiliesOf(const Claimant& claimant) const;
  // The newest demand of the target where it is worth a plan; "" where it is not.
  std::string Changed(const std::string& name, const core::Target& target);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  LeaseStore& leases_;
  Planner& planner_;
  const bool plan_;
  std::atomic<std::uint64_t> taken_{0};
  std::mutex mutex_;
  std::map<std::string, Seen> seen_;  // by target and families; guarded by mutex_
};

}  // namespace tunehub::server
