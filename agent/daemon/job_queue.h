// The hub's queue, as an agent uses it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "agent/hub/retry.h"
#include "agent/tuning/tuned_row.h"

namespace tunehub::agent::daemon {

// Who asks: one agent is one device of one host.
struct AgentId {
  std::string name;      // "node7/0000:c1:00.0"
  std::string instance;  // whose the leases are
  std::string host;
  core::Target target;
};

struct Job {
  std::int64_t id = 0, epoch = 0;
  std::string family, campaign;
  std::string created;   // tells jobs of one number apart, of a hub that was made anew
  bool measure = false;  // known candidates again, not a search
  std::chrono::milliseconds lease{0};
  std::vector<std::map<std::string, std::string>> shapes;
};

class JobQueue {
 public:
  // `hub` must outlive it.
  JobQueue(HubClient& hub, AgentId agent, RetryPolicy policy)
      : hub_(hub), agent_(std::move(agent)), policy_(std::move(policy)) {}

  // Tells the hub that this agent lives. Errors of all: those of agent/hub/problem.h, and what the
  // hub refuses, by the hub's code.
  core::Status Register(const std::string& doing);
  // `measures`: jobs to measure fit, too. Nothing: no job fits now.
  // `except`: jobs that were handed back as none of this agent's.
  core::Result<std::optional<Job>> Claim(const std::vector<std::string>& families, bool measures,
                                         const std::vector<std::int64_t>& except = {});
  // Errors: lease_lost, unknown_job: it is no longer ours.
  core::Status Heartbeat(const Job& job, std::size_t done, std::size_t total);
  core::Status Complete(const Job& job, const std::string& run);  // run: "" unknown
  core::Status Fail(const Job& job, const std::string& reason, bool park);
  // Hands it back without blame. `reason`: why it is none of this agent's; "": it is.
  core::Status Release(const Job& job, const std::string& reason = "");

 private:
  core::Status Post(const std::string& path, const std::string& body);

  HubClient& hub_;
  AgentId agent_;
  RetryPolicy policy_;
};

// Whether the job is no longer this agent's, whatever it does.
bool IsLost(const core::Error& error);

}  // namespace tunehub::agent::daemon
