// The hub's queue, as an agent uses it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/hub/hub_client.h"
#include "agent/search/tuned_file.h"
#include "core/base/result.h"
#include "core/base/threads.h"
#include "core/row/target.h"

namespace tunehub::agent {

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

// Renews the lease of a job while it is worked on, on a thread of its own.
class Lease {
 public:
  // Renews after each third of the lease. Both must outlive it; `queue` must not be used by other
  // threads meanwhile.
  Lease(JobQueue& queue, const Job& job);

  void SetProgress(std::size_t done, std::size_t total);
  // The hub said that the job is another's. A hub that does not answer says nothing: the lease may
  // live, and the measurements count either way.
  bool lost() const { return lost_; }
  // What became of the last renewal since this was asked last.
  std::optional<core::Status> TakeNews();

 private:
  void Renew();

  JobQueue& queue_;
  const Job& job_;
  std::atomic<std::size_t> done_{0}, total_{0};
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::optional<core::Status> news_;  // guarded by mutex_
  core::WokenThread thread_;          // the last: it ends before what it uses is gone
};

// What the daemon says about a hub that does not serve it, and when it gives up: a hub that is away
// comes back, a key that is refused for a while stays refused.
class HubWatch {
 public:
  using Clock = std::chrono::steady_clock;
  HubWatch(std::function<Clock::time_point()> now, std::function<void(const std::string&)> say)
      : now_(std::move(now)), say_(std::move(say)) {}

  // What became of a request. One that is too large for what is between says nothing of the hub.
  // Error: key_refused, once no request was granted for a minute since the key was first refused.
  core::Status Note(const core::Status& status);
  // What is wrong since when the hub was last heard; "": nothing.
  const std::string& wrong() const { return wrong_; }

 private:
  void Say(const std::string& trouble, Clock::time_point now);

  std::function<Clock::time_point()> now_;
  std::function<void(const std::string&)> say_;
  std::string wrong_;
  bool refused_ = false;
  Clock::time_point refused_since_{}, said_{};
};

}  // namespace tunehub::agent
