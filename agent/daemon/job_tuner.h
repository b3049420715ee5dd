// What tunes a job: tunehub's own kernels, AITER's scripts, or another engine's tuner.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "agent/daemon/idle_pace.h"
#include "agent/daemon/instance.h"
#include "agent/daemon/job_queue.h"
#include "agent/hub/hub_client.h"
#include "agent/hub/outbox.h"
#include "agent/search/tune_command.h"
#include "agent/search/tune_report.h"
#include "agent/search/tune_shapes.h"

namespace tunehub::agent {

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
