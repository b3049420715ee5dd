// Jobs by the engines' own tuners. What a job asks for in the engine's words is each engine's own
// (moe_jobs.h, tunable_jobs.h); how it is run while the device is idle, and pushed, is here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/daemon/own_device.h"
#include "agent/daemon/script_job_tuner.h"
#include "agent/engines/engine_run.h"
#include "agent/tuning/device/this_device.h"

namespace tunehub::agent::daemon {

// One run of an engine's tuner, and the shapes of the job that it is to tune.
struct EnginePart {
  std::vector<tuning::Columns> shapes;
  std::function<core::Result<engines::EngineRun>(const engines::EngineObserver& observer)> run;
};

// How many shapes are left, and the first reason.
class LeftShapes {
 public:
  void Add(const std::string& why);
  std::string Text(std::size_t of) const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

struct EngineParts {
  std::vector<EnginePart> parts;
  std::vector<tuning::Columns> tuned;  // by FirstRun already
  LeftShapes left;                     // of the job, which are none of this agent's
};

class EngineJobs {
 public:
  explicit EngineJobs(OwnDevice device) : device_(std::move(device)) {}
  virtual ~EngineJobs() = default;
  // A run without which PartsOf could not tell whose a shape is; nothing: it can. What it finds is
  // kept.
  virtual std::optional<EnginePart> FirstRun(const tuning::TuneTask&) { return std::nullopt; }
  virtual core::Result<EngineParts> PartsOf(const tuning::TuneTask& task) = 0;
  // What a run told of its environment.
  virtual void Learn(const engines::EngineRun&) {}
  OwnDevice& device() { return device_; }
  const OwnDevice& device() const { return device_; }

 private:
  OwnDevice device_;
};

class EngineJobTuner : public ScriptJobTuner {
 public:
  // `devices` must outlive it.
  EngineJobTuner(std::unique_ptr<EngineJobs> jobs, const core::Devices& devices,
                 tuning::DeviceInfo device)
      : jobs_(std::move(jobs)), devices_(devices), device_(std::move(device)) {}

  // When others need the device the run is ended, and begun anew once it is idle.
  core::Result<tuning::Summary> Tune(const tuning::TuneTask& task, IdlePace& pace,
                                     tuning::Outbox& outbox, tuning::Observer& observer) override;

 private:
  void DropOthers(EnginePart& part, LeftShapes& left) const;
  core::Result<engines::EngineRun> Take(const EnginePart& part, const tuning::TuneTask& task,
                                        IdlePace& pace, tuning::Outbox& outbox,
                                        tuning::Observer& observer, tuning::Summary& summary);
  core::Status Push(const engines::EngineRun& run, const tuning::TuneTask& task,
                    tuning::Outbox& outbox, tuning::Summary& summary);

  std::unique_ptr<EngineJobs> jobs_;
  const core::Devices& devices_;
  tuning::DeviceInfo device_;
};

}  // namespace tunehub::agent::daemon
