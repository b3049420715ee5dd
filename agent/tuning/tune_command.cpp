#include "agent/tuning/tune_command.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/command_line.h"
#include "agent/tuning/outputs.h"
#include "agent/tuning/paced_device.h"
#include "agent/tuning/progress.h"
#include "agent/tuning/stop_signal.h"
#include "agent/tuning/tune_report.h"

namespace tunehub::agent::tuning {
namespace {

constexpr const char* kPurposeNames[] = {"tune", "bench before", "bench after"};

TuneTask TaskOf(const TuneOptions& options, const TuneInput& input, const Bench& bench) {
  TuneTask task;
  task.family = input.family;
  task.target = bench.device.target;
  task.device = bench.device.name;
  task.driver = bench.device.driver;
  task.clocks = bench.device.clocks;
  task.shapes = input.shapes;
  task.tuned = input.tuned;
  task.purpose = input.purpose;
  task.all = options.all;
  task.search = options.search;
  task.search.stop = StopRequested;
  task.label = input.label;
  task.arguments = options.arguments;
  const std::string kind = kPurposeNames[static_cast<std::size_t>(input.purpose)];
  task.journal = JournalPath(
      options.state.empty() ? DefaultState() : std::filesystem::path(options.state), task,
      kind + " " + std::to_string(options.search.error_limit) +
          (options.search.exhaustive ? " exhaustive" : ""));
  return task;
}

core::Result<ChosenDevice> OpenDevice(const TuneOptions& options,
                                      const Configuration& configuration) {
  if (options.tuner != kAiter) {
    return ChooseDevice(configuration, options.worker, options.device, 0);
  }
  auto amd = AmdDevice(options.device_root);
  return ChosenDevice{amd.ok() ? *std::move(amd) : DeviceInfo(), ""};
}

}  // namespace

core::Result<Bench> OpenBench(const TuneOptions& options) {
  auto configuration = LoadConfiguration(options.configs);
  if (!configuration.ok()) return configuration.error();
  auto chosen = OpenDevice(options, *configuration);
  if (!chosen.ok()) return chosen.error();
  auto spool = Spool::Open(options.spool.empty() ? Spool::DefaultFolder()
                                                 : std::filesystem::path(options.spool));
  if (!spool.ok()) return spool.error();
  Bench bench{*std::move(configuration), std::move(chosen->device), std::move(chosen->no_gpu),
              *std::move(spool), nullptr};
  if (!options.online.hub.empty()) {
    auto hub = Connect(options.online);
    if (!hub.ok()) return hub.error();
    bench.hub = *std::move(hub);
  }
  return bench;
}

int TuneAndReport(const std::string& name, const TuneOptions& options, const TuneInput& input,
                  Bench& bench, Console& console) {
  TuneTask task = TaskOf(options, input, bench);
  std::optional<TunedFile> file;
  if (!options.output.empty()) {
    auto opened = TunedFile::Open(*input.family, bench.configuration.targets, options.output);
    if (!opened.ok()) return Fail(console, name, opened.error());
    file = *std::move(opened);
    if (input.purpose == Purpose::kTune) {
      const auto rows = file->RowsOf(task.target);
      task.tuned.insert(task.tuned.end(), rows.begin(), rows.end());
    }
  }
  if (!bench.no_gpu.empty()) {
    console.err << "tunehub-agent " << name << ": tuning on the CPU: " << bench.no_gpu << '\n';
  }
  WorkerOptions worker = WorkerFor(bench.configuration, options.worker, bench.device);
  worker.candidate = std::chrono::seconds(options.timeout_s);
  WorkerDevice device(worker);
  Outbox outbox(bench.spool, bench.hub.get(), {.batches_per_push = options.batch});
  Progress progress(options.json ? nullptr : &console.out, ::isatty(STDERR_FILENO) == 1);
  Outputs outputs(*input.family, task.target, std::move(file), progress);
  if (!options.profile.empty()) {
    const auto opened = outputs.OpenProfile(options.profile);
    if (!opened.ok()) return Fail(console, name, opened.error());
  }
  CatchStopSignals();
  const auto summary =
      TuneShapes(bench.configuration, task, device, bench.spool, outbox, bench.hub.get(), outputs);
  if (!summary.ok()) return Fail(console, name, summary.error());
  if (!outputs.status().ok()) return Fail(console, name, outputs.status().error());
  if (bench.hub != nullptr) outbox.Drain(options.online.retry);
  const TuneReport report{*summary, task.target, outbox, bench.spool.Waiting().size(),
                          bench.hub != nullptr};
  return report.Print(options.json, console);
}

}  // namespace tunehub::agent::tuning
