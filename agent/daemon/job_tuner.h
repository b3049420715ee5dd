// The hub's queue, as an agent uses it, and what tunes a job of it: tunehub's own kernels, AITER's
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
#include "agent/search/tune_command.h"
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

  // Tells the hub that this agent lives. Errors of all: those of agent/hub/hub_client.h, and what
  // the hub refuses, by the hub's code.
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

class JobTuner {
 public:
  virtual ~JobTuner() = default;

  // Measures the shapes of `task` while `pace` lets it; what was measured is in `outbox` when it
  // returns. Errors: no_device, disk_full, spool_full, file_unwritable and what is the job's own
  // fault; a stop is none.
  virtual core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                                     Observer& observer) = 0;
  // Whether it also measures known candidates (Purpose::kKnown).
  virtual bool measures() const { return false; }
  // Gives the device back at once; from any thread.
  virtual void GiveUp() = 0;
  // What of the device's load is this tuner's; from any thread.
  virtual OwnWork own() const = 0;
};

// Jobs by tunehub's own kernels, in a worker process.
class BuiltinTuner : public JobTuner {
 public:
  // The first three must outlive it; `hub` is used by Tune, in its thread.
  BuiltinTuner(const Configuration& configuration, const Spool& spool, HubClient& hub,
               WorkerOptions worker)
      : configuration_(configuration), spool_(spool), hub_(hub), worker_(std::move(worker)) {}

  core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                             Observer& observer) override;
  bool measures() const override { return true; }
  void GiveUp() override { worker_.Interrupt(); }
  OwnWork own() const override;

 private:
  const Configuration& configuration_;
  const Spool& spool_;
  HubClient& hub_;
  WorkerDevice worker_;
};

// `wanted`, or, where that is empty, all that the device of `bench` can tune. A job of another
// would be parked for everybody. Errors: unknown_family, with those that there are.
core::Result<std::vector<std::string>> FamiliesOf(const TuneOptions& options,
                                                  const std::vector<std::string>& wanted,
                                                  const Bench& bench);

// What the daemon tells of a job: to the log, to the status file, to the hub with the heartbeat.
class JobObserver : public Observer {
 public:
  // `look` is called between two steps, on the tuner's thread: what else must be told.
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
