// An agent's client for the hub's queue, and the tuners of a job: tunehub's own kernels, AITER's
// scripts, or another engine's tuner.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <iosfwd>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/daemon/idle_pace.h"
#include "agent/daemon/instance.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/outbox.h"
#include "agent/search/tuned_file.h"
#include "agent/search/tuning_bench.h"
#include "core/base/result.h"
#include "core/base/threads.h"
#include "core/row/target.h"

namespace tunehub::agent {

// An agent: one device of one host.
struct AgentId {
  std::string name;      // "node7/0000:c1:00.0"
  std::string instance;  // owns the leases
  std::string host;
  core::Target target;
};

struct Job {
  std::int64_t id = 0, epoch = 0;
  std::string family, campaign;
  std::string created;  // a rebuilt hub may reuse job numbers; `created` tells such jobs apart
  bool verify = false;  // measure known candidates again, instead of a search
  std::chrono::milliseconds lease{0};
  std::vector<std::map<std::string, std::string>> shapes;
};

class JobQueue {
 public:
  // `hub` must outlive it.
  JobQueue(HubClient& hub, AgentId agent, RetryPolicy policy)
      : hub_(hub), agent_(std::move(agent)), policy_(std::move(policy)) {}

  // Sends a heartbeat without a job. Errors of all calls: those of agent/hub/hub_client.h, and the
  // hub's refusals by their code.
  core::Status Register(const std::string& doing);
  // Returns nothing if no job fits now. `verifies`: may also return a job with Job::verify.
  // `except`: jobs that this agent handed back because it cannot do them.
  core::Result<std::optional<Job>> Claim(const std::vector<std::string>& families, bool verifies,
                                         const std::vector<std::int64_t>& except = {});
  // Errors: lease_lost (this agent no longer has the job), unknown_job (the job was deleted).
  core::Status Heartbeat(const Job& job, std::size_t done, std::size_t total);
  core::Status Complete(const Job& job, const std::string& run);  // run: "" unknown
  core::Status Fail(const Job& job, const std::string& reason, bool park);
  // Hands the job back without counting a failure. `reason`: why this agent cannot do it, or "".
  core::Status Release(const Job& job, const std::string& reason = "");

 private:
  core::Status Post(const std::string& path, const std::string& body);

  HubClient& hub_;
  AgentId agent_;
  RetryPolicy policy_;
};

// True if the error means that this agent no longer has the job.
bool IsLost(const core::Error& error);

// Renews the lease of a job during the work, in its own thread.
class Lease {
 public:
  // Renews after each third of the lease. `queue` and `job` must outlive it; no other thread may
  // use `queue` meanwhile.
  Lease(JobQueue& queue, const Job& job);

  void SetProgress(std::size_t done, std::size_t total);
  // True if the hub said that the lease is lost. A silent hub does not count: the lease may still
  // be valid, and the measurements are valid anyway.
  bool lost() const { return lost_; }
  // The result of the last renewal since the previous call.
  std::optional<core::Status> TakeNews();

 private:
  void Renew();

  JobQueue& queue_;
  const Job& job_;
  std::atomic<std::size_t> done_{0}, total_{0};
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::optional<core::Status> news_;  // guarded by mutex_
  core::WokenThread thread_;          // last member: it ends before the members that it uses
};

// Logs when the hub does not serve the daemon. The daemon gives up if the hub refuses its key for a
// minute, but not if the hub is unreachable, since the hub may come back.
class HubWatch {
 public:
  using Clock = std::chrono::steady_clock;
  HubWatch(std::function<Clock::time_point()> now, std::function<void(const std::string&)> say)
      : now_(std::move(now)), say_(std::move(say)) {}

  // Records a request's result. A request too large for a proxy says nothing about the hub. Error:
  // key_refused, if the key was refused for a minute and no request succeeded since.
  core::Status Note(const core::Status& status);
  // The current problem with the hub; "": none.
  const std::string& wrong() const { return wrong_; }

 private:
  void Say(const std::string& trouble, Clock::time_point now);

  std::function<Clock::time_point()> now_;
  std::function<void(const std::string&)> say_;
  std::string wrong_;
  bool refused_ = false;
  Clock::time_point refused_since_{}, said_{};
};

class JobTuner {
 public:
  virtual ~JobTuner() = default;

  // Measures the shapes of `task` while `pace` allows it; on return `outbox` has the results.
  // Errors: no_device, disk_full, spool_full, file_unwritable, and those caused by the job; a stop
  // is no error.
  virtual core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                     Observer& observer) = 0;
  // True if it can measure known candidates (Purpose::kKnown).
  virtual bool verifies() const { return false; }
  // Frees the device at once; any thread may call it.
  virtual void GiveUp() = 0;
  // The tuner's own processes on the device; any thread may call it.
  virtual OwnWork own() const = 0;
};

// Jobs by tunehub's own kernels, in a worker process.
class BuiltinTuner : public JobTuner {
 public:
  // The first three must outlive it; only Tune() uses `hub`, in its thread.
  BuiltinTuner(const Configuration& configuration, const Spool& spool, HubClient& hub,
               WorkerOptions worker)
      : configuration_(configuration), spool_(spool), hub_(hub), worker_(std::move(worker)) {}

  core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                             Observer& observer) override;
  bool verifies() const override { return true; }
  void GiveUp() override { worker_.Interrupt(); }
  OwnWork own() const override;

 private:
  const Configuration& configuration_;
  const Spool& spool_;
  HubClient& hub_;
  WorkerDevice worker_;
};

// Returns `wanted`, or if empty all families that the device of `bench` can tune. The hub would
// park jobs of other families for all agents. Errors: unknown_family, which lists the possible
// families.
core::Result<std::vector<std::string>> FamiliesOf(const TuneOptions& options,
                                                  const std::vector<std::string>& wanted,
                                                  const Bench& bench);

// Reports a job's progress to the log, the status file and, with the heartbeat, the hub.
class JobObserver : public Observer {
 public:
  // The tuner's thread calls `look` between two steps, for the daemon's further reports.
  JobObserver(const Job& job, Lease& lease, StatusFile& status, std::ostream& out, bool json,
              std::function<void()> look);

  void Begin(std::size_t index, std::size_t total, const std::string& shape,
             std::size_t candidates) override;
  void Screened(const Measurement& measurement) override;
  void Finished(const DoneShape& done) override;
  void Note(const std::string& text) override { progress_.Note(text); }

 private:
  const Job& job_;
  Lease& lease_;
  StatusFile& status_;
  std::ostream& out_;
  bool json_;
  std::function<void()> look_;
  Progress progress_;
  std::size_t done_ = 0;
};

}  // namespace tunehub::agent
