// Work for agents: claimed, kept, finished or handed back. Every call may throw Unavailable.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/shapes/shape.h"
#include "server/service/queue/arrivals.h"
#include "server/service/queue/demand_planner.h"
#include "server/service/queue/records.h"
#include "server/service/registry/definitions.h"
#include "server/service/registry/snapshots.h"
#include "server/store/store.h"

namespace tunehub::service {

// Who asks for work, and what it can do.
struct Claim {
  std::string agent;
  std::string instance;  // "": the agent's name
  core::Target target;
  bool measures = false;                                     // jobs to measure fit, too
  std::optional<std::vector<const core::Family*>> families;  // absent: any
  std::vector<std::int64_t> except = {};                     // jobs that it knows not to fit
  std::string owner = store::kDefaultOwner;
};

class Leases {
 public:
  // `planner` null: a claim makes no jobs of demand.
  Leases(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
         DemandPlanner* planner)
      : definitions_(definitions),
        store_(store),
        arrivals_(definitions, store, snapshots),
        planner_(planner) {}

  // The next job, with what is still to be tuned of it; where there is none, demand becomes jobs
  // first.
  std::optional<JobRecord> Take(const Claim& claim);
  // Each: error lease_lost where the job is not the agent's at that epoch (any more), unknown_job.
  core::Result<JobRecord> Heartbeat(const Lease& it, const std::optional<std::string>& progress) {
    return store_.queue().Heartbeat(it, progress);
  }
  // Error unknown_run.
  core::Result<JobRecord> Complete(const Lease& it, std::optional<std::int64_t> run) {
    return store_.queue().Complete(it, run);
  }
  core::Result<JobRecord> Fail(const Lease& it, const std::string& reason, bool park) {
    return store_.queue().Fail(it, reason, park);
  }
  core::Result<JobRecord> Release(const Lease& it, const std::optional<std::string>& reason = {}) {
    return store_.queue().Release(it, reason);
  }

  // How long a lease lasts that nobody renews.
  std::chrono::milliseconds length() const { return store_.queue().times().lease; }

 private:
  std::vector<const core::Family*> Tunable() const;

  const Definitions& definitions_;
  store::Store& store_;
  Arrivals arrivals_;
  DemandPlanner* const planner_;
};

}  // namespace tunehub::service
