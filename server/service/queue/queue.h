// What the queue's resources are served by.
#pragma once

#include "server/service/queue/agents.h"
#include "server/service/queue/demand.h"
#include "server/service/queue/demand_planner.h"
#include "server/service/queue/jobs.h"
#include "server/service/queue/leases.h"
#include "server/service/queue/planner.h"

namespace tunehub::service {

struct Queue {
  // `plan_on_claim`: claims turn demand into jobs.
  Queue(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
        bool plan_on_claim)
      : demand(definitions, store, snapshots),
        planner(definitions, store, snapshots),
        demand_planner(store, planner),
        jobs(definitions, store),
        leases(definitions, store, snapshots, plan_on_claim ? &demand_planner : nullptr),
        agents(store) {}

  Demand demand;
  Planner planner;
  DemandPlanner demand_planner;
  Jobs jobs;
  Leases leases;
  Agents agents;
};

}  // namespace tunehub::service
