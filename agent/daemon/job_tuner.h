// The client for the hub's queue, and the interface of a job's tuners. A tuner uses tunehub's own
// kernels, AITER's scripts, or another engine's tuner.
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
  std::string instance;  // the hub gives leases to this id
  std::string host;
  core::Target target;
};

struct Job {
  std::int64_t id = 0, epoch = 0;
  std::string family, campaign;
  // distinguishes two jobs with one number, since a rebuilt hub may use numbers again
  std::string created;
  bool verify = false;  // true: measure known candidates again, without a search
  std::chrono::milliseconds lease{0};
  std::vector<std::map<std::string, std::string>> shapes;
};

class JobQueue {
 public:
  // `hub` must outlive this object.
  JobQueue(HubClient& hub, AgentId agent, RetryPolicy policy)
      : hub_(hub), agent_(std::move(agent)), policy_(std::move(policy)) {}

  // Sends a heartbeat without a job. Errors of all calls: those of agent/hub/hub_client.h, and the
  // hub's refusals by their code.
  core::Status Register(const std::string& doing);
  // Returns nothing if no job fits now. `verifies`: true if the job may have Job::verify. `except`:
  // jobs that this agent handed back because it cannot do them.
  core::Result<std::optional<Job>> Claim(const std::vector<std::string>& families, bool verifies,
                                         const std::vector<std::int64_t>& except = {});
  // Errors: lease_lost (this agent no longer has the job), unknown_job (the job was deleted).
  core::Status Heartbeat(const Job& job, std::size_t done, std::size_t total);
  core::Status Complete(const Job& job, const std::string& run);  // run: "" unknown
  core::Status Fail(const Job& job, const std::string& reason, bool park);
  // Hands the job back. The hub does not count a failure. `reason`: why this agent cannot do the
  // job, or "".
  core::Status Release(const Job& job, const std::string& reason = "");

 private:
  core::Status Post(const std::string& path, const std::string& body);

  HubClient& hub_;
  AgentId agent_;
  RetryPolicy policy_;
};

// True if the error means that this agent no longer has the job.
bool IsLost(const core::Error& error);

// Renews the lease of a job in its own thread, while the agent works on the job.
class Lease {
 public:
  // Renews the lease after each third of its time. `queue` and `job` must outlive this object. No
  // other thread may use `queue` meanwhile.
  Lease(JobQueue& queue, const Job& job);

  void SetProgress(std::size_t done, std::size_t total);
  // True if the hub said that the lease is lost. False if the hub does not answer, because the
  // lease may still be valid. Measurements are valid in both cases.
  bool lost() const { return lost_; }
  // Returns the result of the last renewal since the previous call; nothing if there was none.
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

// Logs when the hub does not serve the daemon. The daemon ends if the hub refuses the daemon's key
// for a minute. It does not end if the hub is unreachable, since the hub may become reachable
// again.
class HubWatch {
 public:
  using Clock = std::chrono::steady_clock;
  HubWatch(std::function<Clock::time_point()> now, std::function<void(const std::string&)> say)
      : now_(std::move(now)), say_(std::move(say)) {}

  // Records a request's result. Ignores a request that was too large for a proxy. Errors:
  // key_refused, if the hub refused the key for a minute and no request succeeded since.
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

  // Measures the shapes of `task` while `pace` allows it. On return, `outbox` contains the results.
  // A stop is not an error. Errors: no_device, disk_full, spool_full, file_unwritable, and errors
  // that the job caused.
  virtual core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                     Observer& observer) = 0;
  // True if the tuner can measure known candidates (Purpose::kKnown).
  virtual bool verifies() const { return false; }
  // Frees the device at once. Any thread may call it.
  virtual void GiveUp() = 0;
  // The tuner's own processes on the device; any thread may call it.
  virtual OwnWork own() const = 0;
};

// Tunes jobs with tunehub's own kernels, in a worker process.
class BuiltinTuner : public JobTuner {
 public:
  // The first three arguments must outlive this object. Only Tune() uses `hub`, in the thread of
  // its caller.
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

// Returns `wanted`, or if it is empty, all families that the device of `bench` can tune. An agent
// must not claim jobs of other families: after its failures the hub would park these jobs for all
// agents. Errors: unknown_family, which lists the possible families.
core::Result<std::vector<std::string>> FamiliesOf(const TuneOptions& options,
                                                  const std::vector<std::string>& wanted,
                                                  const Bench& bench);

// Reports a job's progress to the log, the status file and, with the heartbeat, the hub.
class JobObserver : public Observer {
 public:
  // The tuner's thread calls `look` between two steps, so that the daemon can report more.
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
