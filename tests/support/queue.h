// A queue on a registry's database. Its leases are so short that tests see them expire.
#pragma once

#include <string>
#include <vector>

#include "server/queue/demand.h"
#include "server/queue/lease_store.h"
#include "server/queue/planner.h"
#include "tests/support/registry.h"

namespace tunehub::test {

struct NewJob {
  std::string family = "a8w8_blockscale";
  std::string gfx = "gfx942";
  int cu_num = 304;  // 0: any number
  int priority = 0;
  std::int64_t weight = 0;
  std::string shapes = R"([{"M":"16","N":"1280","K":"5120"}])";
  std::string purpose = server::kTune;
};

inline constexpr std::chrono::minutes kLease{2}, kRest{1};  // the defaults of tests

struct QueueFixture {
  explicit QueueFixture(server::QueueTimes times = {.lease = kLease, .rest = kRest});

  std::int64_t Add(const NewJob& job = {});
  // Adds a job that the agent claims.
  std::int64_t AddClaimed(const std::string& agent);
  // The id of the job that the agent gets; 0 if it gets none.
  std::int64_t Claim(const std::string& agent, const std::string& gfx = "gfx942", int cu_num = 304,
                     const std::vector<std::string>& families = {});
  // A job's id, state, agent and epoch: "3 running agent 1".
  std::string State(std::int64_t job);
  // The agent's lease at the job's current epoch.
  server::Lease LeaseOf(std::int64_t job, const std::string& agent);
  std::int16_t Family(const std::string& name) { return registry.definitions.ids.at(name); }

  Registry registry;
  server::ConnectionPool pool;  // the pool of a server beside the registry's, with the test's times
  server::JobStore jobs;
  server::LeaseStore leases;
  server::Demand demand;
  server::Planner planner;
};

// Makes all running leases expire, by the database's clock.
void EndLeases(const std::string& url);

}  // namespace tunehub::test
