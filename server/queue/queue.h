// The services behind the queue's routes.
#pragma once

#include "server/answers/route.h"
#include "server/queue/claims.h"
#include "server/queue/demand.h"
#include "server/queue/planner.h"

namespace tunehub::server {

struct Queue {
  // `plan_on_claim`: true if claims make jobs from demand.
  Queue(const Definitions& definitions, ConnectionPool& pool, const QueueTimes& times,
        const Snapshots& snapshots, bool plan_on_claim)
      : demand(definitions, pool, snapshots),
        planner(definitions, pool, snapshots),
        jobs(pool),
        leases(pool, times),
        claims(definitions, pool, snapshots, leases, planner, plan_on_claim, times.verify_hours) {}

  Demand demand;
  Planner planner;
  JobStore jobs;
  LeaseStore leases;
  Claims claims;
};

struct QueueServices : Services {
  Queue& queue;
};

}  // namespace tunehub::server
