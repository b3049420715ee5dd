// Gives jobs to agents that claim work. Every call may throw Unavailable.
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
  // `plan`: true if a claim that finds no job makes jobs from demand. `hours`: see Verifier.
  Claims(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots,
         LeaseStore& leases, Planner& planner, bool plan, int hours)
      : definitions_(definitions),
        pool_(pool),
        snapshots_(snapshots),
        leases_(leases),
        planner_(planner),
        verifier_(definitions, pool, snapshots, hours),
        plan_(plan) {}

  // Returns the next job, without shapes whose results have arrived from any agent. If there is no
  // job, plans jobs for demand or for rows to verify, and then searches again.
  std::optional<JobRecord> Take(const Claimant& claimant);

  // number of jobs that this server gave to agents since its start
  std::uint64_t taken() const { return taken_; }

 private:
  // Like LeaseStore::Claim, without shapes whose results have arrived. If all results of a job have
  // arrived, completes it and claims the next job. A job to verify keeps all its shapes.
  std::optional<JobRecord> TakeNotArrived(const Claimant& claimant);
  // Returns the job's shapes whose results have not arrived, as JSON like JobRecord::shapes.
  std::string NotArrived(const JobRecord& job, const core::Target& target);
  // Plans jobs for open demand of the claimant's target. Returns true if it made jobs. Leaves out
  // shapes of earlier jobs, so that the hub does not try a shape again and again.
  bool PlanDemand(const Claimant& claimant);
  // Copies one page of new demand for any target to this target.
  void CopyDemand(const core::Target& target);
  // Returns the families that the claimant names, or else all tunable families.
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
