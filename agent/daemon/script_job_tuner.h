// What tuners by others' scripts have in common: a script is ended when others need the device, and
// begun anew once it is idle.
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
#include "agent/search/tune_command.h"

namespace tunehub::agent {

// Which of the devices that jobs name is this one: by the host's driver, and by what an engine has
// called it.
class OwnDevice {
 public:
  // `devices` must outlive it.
  OwnDevice(DeviceInfo device, const core::Devices& devices)
      : device_(std::move(device)), devices_(devices) {}

  // Why a job's device is not this one; "": it is, or nobody can tell before an engine has run.
  std::string WhyOther(const std::string& asked) const;
  // Whether it is another name of the device that an engine has told of.
  bool IsOtherName(const std::string& asked) const;
  // As an engine calls it; "": it did not say.
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
  void GiveUp() override {}  // a run looks at the pace itself, every tenth of a second
  // The scripts are this process's children, which is how a probe knows them.
  OwnWork own() const override { return {::getpid(), runs_ ? ::getpid() : 0}; }

 protected:
  // `start` runs the script under an observer of its kind; its answer has a report. `given_up`:
  // what is said where others needed the device.
  template <typename Watch, typename Start>
  auto RunWhileIdle(const Start& start, const TuneTask& task, IdlePace& pace, Observer& observer,
                    const std::string& given_up) -> decltype(start(std::declval<const Watch&>())) {
    unsigned before = 0;
    const auto disturbed = [&] { return pace.Disturbances() != before; };
    Watch watch;
    watch.note = [&](const std::string& text) { observer.Note(text); };
    watch.stop = [&] { return disturbed() || task.search.stop(); };
    for (;;) {
      do {  // counted before the wait: who comes just after it is seen as well
        before = pace.Disturbances();
        if (auto status = pace.Await(); !status.ok()) return status.error();
      } while (disturbed());
      runs_ = true;
      auto run = start(std::as_const(watch));
      runs_ = false;
      const bool ended = run.ok() && run->report.outcome == AiterOutcome::kEnded && disturbed();
      if (!ended || task.search.stop()) return run;
      observer.Note(given_up);
    }
  }

 private:
  std::atomic<bool> runs_{false};
};

// Jobs by AITER's own tune scripts, on an AMD GPU.
class AiterJobTuner : public ScriptJobTuner {
 public:
  // `targets` must outlive it.
  AiterJobTuner(AiterTuner tuner, const core::Targets& targets, DeviceInfo device)
      : tuner_(std::move(tuner)), targets_(targets), device_(std::move(device)) {}

  // Benches the defaults, tunes, and benches the winners. When others need the device the script is
  // ended and, once the device is idle, started again; it passes over the shapes that it has
  // finished.
  core::Result<Summary> Tune(const TuneTask& task, IdlePace& pace, Outbox& outbox,
                             Observer& observer) override;
  // AITER's scripts cannot time one kernel: the search times all of them again.
  bool measures() const override { return true; }

 private:
  // What AITER's operators take, into the outbox; a bench that fails costs no tuning.
  core::Status Bench(const AiterContext& context, AiterStep step, const std::string& tuned,
                     const TuneTask& task, IdlePace& pace, Outbox& outbox, Observer& observer);

  AiterTuner tuner_;
  const core::Targets& targets_;
  DeviceInfo device_;
};

// Jobs by the engines' own tuners. What a job asks for in the engine's words is each engine's own
// (EngineJobs); how it is run while the device is idle, and pushed, is EngineJobTuner's.

// One run of an engine's tuner, and the shapes of the job that it is to tune.
struct EnginePart {
  std::vector<Columns> shapes;
  std::function<core::Result<EngineRun>(const EngineObserver& observer)> run;
};

// How many shapes are left, and the first reason.
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
  std::vector<Columns> tuned;  // by FirstRun already
  LeftShapes left;             // of the job, which are none of this agent's
};

// `run --tuner vllm`, `sglang` and `tunableop`: what of the command line is the engine's.
class EngineJobs {
 public:
  explicit EngineJobs(OwnDevice device) : device_(std::move(device)) {}
  virtual ~EngineJobs() = default;
  // A run without which PartsOf could not tell whose a shape is; nothing: it can. What it finds is
  // kept.
  virtual std::optional<EnginePart> FirstRun(const TuneTask&) { return std::nullopt; }
  virtual core::Result<EngineParts> PartsOf(const TuneTask& task) = 0;
  // What a run told of its environment.
  virtual void Learn(const EngineRun&) {}
  OwnDevice& device() { return device_; }
  const OwnDevice& device() const { return device_; }

 private:
  OwnDevice device_;
};

class EngineJobTuner : public ScriptJobTuner {
 public:
  explicit EngineJobTuner(std::unique_ptr<EngineJobs> jobs) : jobs_(std::move(jobs)) {}

  // When others need the device the run is ended, and begun anew once it is idle.
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
  std::vector<std::string> models;  // config.json, or a folder that has one
  std::vector<int> tps = {1, 2, 4, 8}, eps = {1};
};

// Jobs of PyTorch's TunableOp: a shape's operator and parameters are all that it asks.
class TunableJobs : public EngineJobs {
 public:
  // `devices` must outlive it.
  TunableJobs(TunableSettings settings, const core::Devices& devices, DeviceInfo device)
      : EngineJobs(OwnDevice(std::move(device), devices)), settings_(std::move(settings)) {}

  // PyTorch tells its validators with the results of a GEMM, and not before: one of the job's.
  std::optional<EnginePart> FirstRun(const TuneTask& task) override;
  // A job that names validators is for whoever has these.
  core::Result<EngineParts> PartsOf(const TuneTask& task) override;
  void Learn(const EngineRun& run) override;

 private:
  // Whatever the validators.
  std::string WhyNever(const Columns& shape) const;
  std::string WhyNot(const Columns& shape) const;
  EnginePart PartOf(std::vector<Columns> shapes) const;

  TunableSettings settings_;
  std::string validators_;        // of the last run; "": none has told
  std::optional<Columns> first_;  // of the job at hand: what FirstRun tunes
};

void AddEngineRunOptions(cli::CommandLine& line, TuneOptions& tune, EngineRunOptions& options);

// Also of the other tuners: these options are none of theirs. Errors: bad_arguments.
core::Status CheckEngineRun(const TuneOptions& tune, const EngineRunOptions& options);

// `state`: the agent's folder. `bench` must outlive it, and has a GPU. Errors:
// no_script, no_triton (SGLang), bad_model, no_setup (no model has experts that can be split so).
core::Result<std::unique_ptr<JobTuner>> OpenEngineTuner(const TuneOptions& tune,
                                                        const EngineRunOptions& options,
                                                        const Bench& bench,
                                                        const std::filesystem::path& state);

}  // namespace tunehub::agent
