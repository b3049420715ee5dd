// `run --tuner vllm`, `sglang` and `tunableop`: what of the command line is the engine's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/daemon/job_tuner.h"
#include "agent/tuning/tune_command.h"

namespace tunehub::agent::daemon {

struct EngineRunOptions {
  std::vector<std::string> models;
  std::vector<int> tps = {1, 2, 4, 8}, eps = {1};
};

void AddEngineRunOptions(cli::CommandLine& line, tuning::TuneOptions& tune,
                         EngineRunOptions& options);

// Also of the other tuners: these options are none of theirs. Errors: bad_arguments.
core::Status CheckEngineRun(const tuning::TuneOptions& tune, const EngineRunOptions& options);

// `state`: the agent's folder. `bench` must outlive it. Errors: no_device, those of MoeJobs::Open.
core::Result<std::unique_ptr<JobTuner>> OpenEngineTuner(const tuning::TuneOptions& tune,
                                                        const EngineRunOptions& options,
                                                        const tuning::Bench& bench,
                                                        const std::filesystem::path& state);

}  // namespace tunehub::agent::daemon
