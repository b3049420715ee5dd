// The common part of tuners that run scripts of engines. The tuner ends the script when other
// processes need the device, and starts it again when the device is idle.
#pragma once

#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/daemon/job_tuner.h"
#include "agent/device/this_device.h"
#include "agent/engines/aiter_results.h"
#include "agent/engines/aiter_tuner.h"
#include "agent/engines/engine_run.h"
#include "agent/search/tuning_bench.h"

namespace tunehub::agent {

// Decides if a job's device is this host's device. Compares the device's name in the job with the
// driver's name and with the name that an engine reported.
class OwnDevice {
 public:
  // `devices` must outlive it.
  OwnDevice(DeviceInfo device, const core::Devices& devices)
      : device_(std::move(device)), devices_(devices) {}

  // Returns why a job's device is not this device. Returns "" if it is this device, or if only an
  // engine's run can tell.
  std::string WhyOther(const std::string& asked) const;
  // True if `asked` is another name of the device that an engine reported.
  bool IsOtherName(const std::string& asked) const;
  // Sets the engine's name of the device; "": it did not report one.
  void Learn(const std::string& name);
  const DeviceInfo& info() const { return device_; }
  const core::Devices& all() const { return devices_; }

 private:
  bool IsTold(const std::string& asked) const;

  DeviceInfo device_;
  const core::Devices& devices_;
  std::string told_;
};

class ScriptJobTuner : public JobTuner {
 public:
  void GiveUp() override {}  // a run itself checks the pace every 100 ms
  // The scripts are children of this process, so a probe recognises them.
  OwnWork own() const override { return {::getpid(), runs_ ? ::getpid() : 0}; }

 protected:
  // `start` runs the script under an observer. The result of `start` contains a report. `given_up`:
  // the note to print if other processes needed the device.
  template <typename Watch, typename Start>
  auto RunWhileIdle(const Start& start, const TuneTask& task, IdlePace& pace, Observer& observer,
                    const std::string& given_up) -> decltype(start(std::declval<const Watch&>())) {
    unsigned before = 0;
    const auto disturbed = [&] { return pace.Disturbances() != before; };
    Watch watch;
    watch.note = [&](const std::string& text) { observer.Note(text); };
    watch.stop = [&] { return disturbed() || task.search.stop(); };
    for (;;) {
      do {  // read before the wait, so that other processes' work just after the wait counts
        before = pace.Disturbances();
        if (auto status = pace.Await(); !status.ok()) return status.error();
      } while (disturbed());
      runs_ = true;
      auto run = start(std::as_const(watch));
      runs_ = false;
      const bool ended = run.ok() && run->report.outcome == ScriptOutcome::kEnded && disturbed();
      if (!ended || task.search.stop()) return run;
      observer.Note(given_up);
    }
  }

 private:
  std::atomic<bool> runs_{false};
};

// Tunes jobs with AITER's own tune scripts, on an AMD GPU.
class AiterJobTuner : public ScriptJobTuner {
 public:
  // `targets` must outlive this object.
  AiterJobTuner(AiterTuner tuner, const core::Targets& targets, DeviceInfo device)
      : tuner_(std::move(tuner)), targets_(targets), device_(std::move(device)) {}

  // Measures the defaults, tunes, and measures the winners. When other processes need the device,
  // ends the script. When the device is idle, starts the script again, which skips finished shapes.
  core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                             Observer& observer) override;
  // AITER's scripts cannot time a single kernel. So a verification is a new search, which times all
  // kernels.
  bool verifies() const override { return true; }

 private:
  // Measures AITER's operators and spools their times. A failed bench does not stop the tuning.
  core::Status Bench(AiterContext& context, AiterStep step, const std::string& tuned,
                     const TuneTask& task, IdlePace& pace, Outbox& outbox, Observer& observer);

  AiterTuner tuner_;
  const core::Targets& targets_;
  DeviceInfo device_;
};

// Tunes jobs with the engines' own tuners. EngineJobs translates a job for its engine.
// EngineJobTuner runs the engine's tuner while the device is idle, and pushes the rows.

// One run of an engine's tuner, and the job's shapes that it tunes.
struct EnginePart {
  std::vector<Columns> shapes;
  std::function<core::Result<EngineRun>(const EngineObserver& observer)> run;
};

// Counts the shapes that this agent cannot tune, with the first reason.
class LeftShapes {
 public:
  void Add(const std::string& why) {
    if (count_++ == 0) first_ = why;
  }
  std::string Text(std::size_t of) const;

 private:
  std::size_t count_ = 0;
  std::string first_;
};

struct EngineParts {
  std::vector<EnginePart> parts;
  std::vector<Columns> tuned;  // FirstRun has tuned them
  LeftShapes left;             // the job's shapes that this agent cannot tune
};

// How `run --tuner vllm`, `sglang` and `tunableop` split a job into runs.
class EngineJobs {
 public:
  explicit EngineJobs(OwnDevice device) : device_(std::move(device)) {}
  virtual ~EngineJobs() = default;
  // Returns nothing, or a run after which PartsOf knows which shapes this agent can tune. The rows
  // of this run count as results.
  virtual std::optional<EnginePart> FirstRun(const TuneTask&) { return std::nullopt; }
  virtual core::Result<EngineParts> PartsOf(const TuneTask& task) = 0;
  // Takes facts of the environment from a run.
  virtual void Learn(const EngineRun&) {}
  OwnDevice& device() { return device_; }
  const OwnDevice& device() const { return device_; }

 private:
  OwnDevice device_;
};

class EngineJobTuner : public ScriptJobTuner {
 public:
  explicit EngineJobTuner(std::unique_ptr<EngineJobs> jobs) : jobs_(std::move(jobs)) {}

  // When other processes need the device, ends the run. When the device is idle, starts the run
  // again.
  core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                             Observer& observer) override;

 private:
  void DropOthers(EnginePart& part, LeftShapes& left) const;
  core::Result<EngineRun> Take(const EnginePart& part, const TuneTask& task, IdlePace& pace,
                               Outbox& outbox, Observer& observer, Summary& summary);
  core::Status Push(const EngineRun& run, const TuneTask& task, Outbox& outbox, Summary& summary);

  std::unique_ptr<EngineJobs> jobs_;
};

struct EngineRunOptions {
  std::vector<std::string> models;  // config.json, or its folder
  std::vector<int> tps = {1, 2, 4, 8}, eps = {1};
};

// Splits jobs for PyTorch's TunableOp by the operator and parameters of each shape.
class TunableJobs : public EngineJobs {
 public:
  // `devices` must outlive it.
  TunableJobs(TunableSettings settings, const core::Devices& devices, DeviceInfo device)
      : EngineJobs(OwnDevice(std::move(device), devices)), settings_(std::move(settings)) {}

  // PyTorch reports its validators only with the results of a GEMM. So this run tunes one GEMM of
  // the job.
  std::optional<EnginePart> FirstRun(const TuneTask& task) override;
  // A job that names validators needs an agent with the same validators.
  core::Result<EngineParts> PartsOf(const TuneTask& task) override;
  void Learn(const EngineRun& run) override;

 private:
  // Ignores the validators.
  std::string WhyNever(const Columns& shape) const;
  std::string WhyNot(const Columns& shape) const;
  EnginePart PartOf(std::vector<Columns> shapes) const;

  TunableSettings settings_;
  std::string validators_;        // the validators of the last run; "": not reported yet
  std::optional<Columns> first_;  // the shape that FirstRun tunes
};

void AddEngineRunOptions(cli::CommandLine& line, TuneOptions& tune, EngineRunOptions& options);

// Checks the options. Refuses each of them for a tuner that does not use them. Errors:
// bad_arguments.
core::Status CheckEngineRun(const TuneOptions& tune, const EngineRunOptions& options);

// `state`: the agent's folder. `bench` has a GPU and must outlive the result. Errors: no_script,
// no_triton (SGLang), bad_model, no_setup (no model's experts fit the splits).
core::Result<std::unique_ptr<JobTuner>> OpenEngineTuner(const TuneOptions& tune,
                                                        const EngineRunOptions& options,
                                                        const Bench& bench,
                                                        const std::filesystem::path& state);

}  // namespace tunehub::agent
