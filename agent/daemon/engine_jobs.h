// `run --tuner vllm`, `sglang` and `tunableop`: what of the command line is the engine's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/base/configuration.h"
#include "agent/daemon/job_tuner.h"
#include "agent/daemon/script_job_tuner.h"
#include "agent/engines/tunable_tuner.h"
#include "agent/search/tune_command.h"

namespace tunehub::agent {

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
