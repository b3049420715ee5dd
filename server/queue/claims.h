// Hands jobs to agents that claim work. Every call may throw Unavailable.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/db/connection_pool.h"
#include "server/queue/lease_store.h"
#include "server/queue/planner.h"
#include "server/queue/verifier.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

class Claims {
 public:
  // `plan`: a claim that finds no job makes jobs of demand. `hours`: Verifier's.
  Claims(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
         LeaseStore& leases, Planner& planner, bool plan, int hours)
      : definitions_(definitions),
        pool_(pool),
        snapshots_(snapshots),
        leases_(leases),
        planner_(planner),
        verifier_(definitions, pool, snapshots, hours),
        plan_(plan) {}

  // The next job, without the shapes whose results have arrived from any agent. If there is no job,
  // plans demand, else what is to be verified, and looks again.
  std::optional<JobRecord> Take(const Claimant& claimant);

  std::uint64_t taken() const { return taken_; }  // jobs since the start, by this server alone

 private:
  // As LeaseStore::Claim, without shapes whose results have arrived. If all results of a job have
  // arrived, completes the job and claims the next. A job to verify keeps all its shapes.
  std::optional<JobRecord> TakeNotArrived(const Claimant& claimant);
  // The job's shapes whose results have not arrived, as JSON like JobRecord::shapes.
  std::string NotArrived(const JobRecord& job, const core::Target& target);
  // Plans open demand of the claimant's target. True if there are new jobs. Leaves out shapes of
  // earlier jobs, so that no shape is tried for ever.
  bool PlanDemand(const Claimant& claimant);
  // Copies new demand for any target to this one, a page of it.
  void CopyDemand(const core::Target& target);
  // The families that the claimant names, else all that can be tuned.
  std::vector<const core::Family*> FamiliesOf(const Claimant& claimant) const;

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  LeaseStore& leases_;
  Planner& planner_;
  Verifier verifier_;
  const bool plan_;
  std::atomic<std::uint64_t> taken_{0};
  std::mutex mutex_;
  std::map<std::pair<std::string, int>, DemandPlace> copied_;  // by target; guarded by mutex_
};

}  // namespace tunehub::server
