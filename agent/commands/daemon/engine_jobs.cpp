#include "agent/commands/daemon/engine_jobs.h"

#include <algorithm>

#include "agent/base/command_line.h"
#include "agent/commands/tuning/engine_options.h"
#include "agent/daemon/moe_jobs.h"
#include "agent/daemon/tunable_jobs.h"

namespace tunehub::agent::daemon {
namespace {

// Of a second in which the device is to be given up, what an engine's script has to end.
constexpr std::chrono::milliseconds kEngineGrace{500};

constexpr const char* kOfScripts[] = {"--engine", "--model", "--tp", "--ep"};

}  // namespace

void AddEngineRunOptions(cli::CommandLine& line, tuning::TuneOptions& tune,
                         EngineRunOptions& options) {
  line.Add("--engine", tune.engine, "vllm, sglang: the checkout that has their scripts");
  line.Add("--model", options.models,
           "vllm, sglang: a config.json, or its folder; jobs that none of them asks for are handed "
           "back");
  line.Add("--tp", options.tps, "vllm, sglang: the splits of the models, 1,2,4,8")
      .Delimiter(',')
      .Range(1, 1024);
  line.Add("--ep", options.eps, "vllm, sglang: expert parallelism of these, default 1")
      .Delimiter(',')
      .Range(1, 1024);
}

core::Status CheckEngineRun(const tuning::TuneOptions& tune, const EngineRunOptions& options) {
  const auto bad = [&](const std::string& what, const std::string& why) {
    return core::Error{"bad_arguments", what + " with --tuner " + tune.tuner + ": " + why};
  };
  const bool scripts = tune.tuner == tuning::kVllm || tune.tuner == tuning::kSglang;
  for (const char* option : kOfScripts) {
    if (!scripts && tune.IsGiven(option)) return bad(option, "it is for --tuner vllm or sglang");
  }
  if (!tune.ByEngine()) return core::Ok();
  if (auto heeds = tuning::CheckEngineHeeds(tune); !heeds.ok()) return heeds;
  if (!scripts) return core::Ok();
  if (tune.engine.empty()) {
    return bad("no --engine", "a checkout is needed, since the package has no tune scripts");
  }
  if (options.models.empty()) {
    return bad("no --model",
               "a job's key has no hidden size and no top-k: name the config.json of "
               "each model whose jobs this agent tunes");
  }
  return core::Ok();
}

core::Result<std::unique_ptr<JobTuner>> OpenEngineTuner(const tuning::TuneOptions& tune,
                                                        const EngineRunOptions& options,
                                                        const tuning::Bench& bench,
                                                        const std::filesystem::path& state) {
  if (bench.device.target.gfx.empty()) {
    const auto device = tuning::ReadDeviceOption(tune.device);
    return tuning::AmdDevice(tune.device_root, device.ok() ? device->index : 0).error();
  }
  engines::EngineSettings settings = tuning::EngineSettingsOf(tune, true);
  settings.work = state / "engines";
  settings.grace = kEngineGrace;
  // The other GPUs are other daemons'.
  settings.environment["ROCR_VISIBLE_DEVICES"] = std::to_string(std::max(bench.device.gpu, 0));
  const core::Devices& devices = bench.configuration.targets.devices();
  std::unique_ptr<EngineJobs> jobs;
  if (tune.tuner == tuning::kTunableOp) {
    engines::TunableSettings tunable{settings, {}, {}};
    if (tune.IsGiven("--iters")) tunable.iters = tune.search.rounds;
    jobs = std::make_unique<TunableJobs>(std::move(tunable), devices, bench.device);
  } else {
    MoeOptions moe;
    moe.tuner = tune.tuner;
    moe.settings = {settings, tune.engine};
    moe.models = options.models;
    moe.tps = options.tps;
    moe.eps = options.eps;
    auto opened = MoeJobs::Open(std::move(moe), bench.configuration, bench.device);
    if (!opened.ok()) return opened.error();
    jobs = *std::move(opened);
  }
  return std::unique_ptr<JobTuner>(
      std::make_unique<EngineJobTuner>(std::move(jobs), devices, bench.device));
}

}  // namespace tunehub::agent::daemon
