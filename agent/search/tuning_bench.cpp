#include "agent/search/tuning_bench.h"

#include <fmt/core.h>
#include <unistd.h>

#include <deque>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/device/worker_device.h"
#include "core/base/file.h"
#include "core/base/process.h"

namespace tunehub::agent {
namespace {

constexpr const char* kPurposeNames[] = {"tune", "bench before", "bench after"};

TuneTask TaskOf(const TuneOptions& options, const TuneInput& input, const DeviceInfo& device,
                std::vector<Columns> shapes) {
  TuneTask task;
  task.family = input.family;
  task.target = device.target;
  task.device = device;
  task.shapes = std::move(shapes);
  task.tuned = input.tuned;
  task.purpose = input.purpose;
  task.all = options.all;
  task.search = options.search;
  task.label = input.label;
  task.arguments = options.arguments;
  const std::string kind = kPurposeNames[static_cast<std::size_t>(input.purpose)];
  task.journal = JournalPath(StateFolder(options), task,
                             fmt::format("{} {:f}{}", kind, options.search.error_limit,
                                         options.search.exhaustive ? " exhaustive" : ""));
  return task;
}

core::Result<ChosenDevice> OpenDevice(const TuneOptions& options,
                                      const Configuration& configuration) {
  auto option = ReadDeviceOption(options.device);
  if (!option.ok()) return option.error();
  if (!options.cpus.empty()) {
    if (option->kind == kGpuDevice || options.tuner != kBuiltin) {
      return core::Error{
          "bad_arguments",
          fmt::format("--cpus {}: leave it out, because the device is a GPU", options.cpus)};
    }
    const auto cpus = ReadCpuList(options.cpus);
    if (!cpus.ok()) return cpus.error();
    // The worker inherits this pinning.
    if (auto status = PinTo(*cpus); !status.ok()) return status.error();
    option->kind = kCpuDevice;
  }
  if (options.tuner == kBuiltin) return ChooseDevice(configuration, options.worker, *option);
  auto amd = AmdDevice(options.device_root, option->index);
  return ChosenDevice{amd.ok() ? *std::move(amd) : DeviceInfo(), ""};
}

std::string NameOf(const core::Target& target) {
  return fmt::format("{}:{}", target.gfx, target.cu_num);
}

// Returns the GPUs after the first GPU that --mp N uses.
core::Result<std::vector<DeviceInfo>> OpenBeside(const TuneOptions& options,
                                                 const Configuration& configuration,
                                                 const DeviceInfo& first) {
  std::vector<DeviceInfo> beside;
  if (options.tuner != kBuiltin || options.mp == 1) return beside;
  const std::string wanted = fmt::format("--mp {}: ", options.mp);
  if (first.gpu < 0) return core::Error{"no_device", wanted + "a CPU is one device"};
  for (int index = first.gpu + 1; index < first.gpu + options.mp; ++index) {
    auto device = GpuDevice(configuration, options.worker, index);
    if (!device.ok()) {
      return core::Error{"no_device",
                         fmt::format("{}GPU {}: {}", wanted, index, device.error().detail)};
    }
    if (device->target != first.target) {
      return core::Error{"other_target",
                         fmt::format("{}GPU {} is {}, GPU {} is {}", wanted, index,
                                     NameOf(device->target), first.gpu, NameOf(first.target))};
    }
    beside.push_back(*std::move(device));
  }
  return beside;
}

// `first`: the outbox of the first device, which sends the spooled batches of all devices.
core::Result<Summary> TuneOnAll(const TuneOptions& options, const TuneInput& input, Bench& bench,
                                const std::vector<TunedRow>& tuned, Outbox& first,
                                Observer& observer) {
  std::vector<const DeviceInfo*> infos = {&bench.device};
  for (const DeviceInfo& info : bench.beside) infos.push_back(&info);
  std::deque<WorkerDevice> devices;
  std::deque<Outbox> outboxes;
  std::deque<std::unique_ptr<HubClient>> hubs;
  std::vector<DeviceSide> sides;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    TuneTask task = TaskOf(options, input, *infos[i], ShareOf(input.shapes, i, infos.size()));
    task.tuned = tuned;
    WorkerOptions worker = WorkerFor(bench.configuration, options.worker, *infos[i]);
    worker.candidate = std::chrono::seconds(options.timeout_s);
    WorkerDevice& device = devices.emplace_back(std::move(worker));
    Outbox* outbox = &first;
    HubClient* hub = bench.hub.get();
    if (i > 0) {
      outbox = &outboxes.emplace_back(bench.spool, nullptr, OutboxOptions{});
      if (hub != nullptr) {
        auto own = Connect(options.online);
        if (!own.ok()) return own.error();
        hub = hubs.emplace_back(*std::move(own)).get();
      }
    }
    sides.push_back({fmt::format("GPU {}", infos[i]->gpu), device, *outbox, hub, std::move(task)});
  }
  if (sides.size() > 1) return TuneSideBySide(bench.configuration, sides, bench.spool, observer);
  return TuneShapes(bench.configuration, sides[0].task, devices[0], bench.spool, first,
                    bench.hub.get(), observer);
}

// The log of this step, named like the logs of AITER's scripts. Without --logs, an error is only
// printed.
core::Result<std::ofstream> OpenLog(const TuneOptions& options, const TuneInput& input,
                                    Console& console) {
  constexpr AiterStep kSteps[] = {AiterStep::kTune, AiterStep::kBenchBefore,
                                  AiterStep::kBenchAfter};
  const auto made = core::MakeFolder(options.logs);
  const auto path =
      StepLogPath(options.logs, *input.family, kSteps[static_cast<std::size_t>(input.purpose)]);
  std::ofstream log(path, std::ios::app);
  if (!log) {
    core::Error error{"file_unwritable", path.string() + ": cannot be created"};
    if (!made.ok()) error = made.error();
    if (options.IsGiven("--logs")) return error;
    console.err << "no log of this step: " << error.detail << '\n';
  }
  log << options.arguments << std::endl;
  return log;
}

}  // namespace

core::Result<Bench> OpenBench(const TuneOptions& options) {
  auto configuration = LoadConfiguration(options.configs);
  if (!configuration.ok()) return configuration.error();
  auto chosen = OpenDevice(options, *configuration);
  if (!chosen.ok()) return chosen.error();
  auto beside = OpenBeside(options, *configuration, chosen->device);
  if (!beside.ok()) return beside.error();
  std::string identity;  // "": the batches are for no hub, and are never sent to a hub
  if (!options.online.hub.empty()) {
    auto named = HubIdentity(options.online.hub);
    if (!named.ok()) return named.error();
    identity = *std::move(named);
  }
  auto spool = Spool::Open(
      options.spool.empty() ? Spool::DefaultFolder() : std::filesystem::path(options.spool),
      identity);
  if (!spool.ok()) return spool.error();
  Bench bench{*std::move(configuration), std::move(chosen->device), *std::move(beside),
              std::move(chosen->no_gpu), *std::move(spool),         nullptr};
  if (!options.online.hub.empty()) {
    auto hub = Connect(options.online);
    if (!hub.ok()) return hub.error();
    bench.hub = *std::move(hub);
  }
  return bench;
}

int TuneAndReport(const std::string& name, TuneOptions options, const TuneInput& input,
                  Bench& bench, Console& console) {
  const core::Target& target = bench.device.target;
  std::vector<TunedRow> tuned = input.tuned;
  std::optional<TunedFile> file;
  if (!options.output.empty()) {
    auto opened = TunedFile::Open(*input.family, bench.configuration.targets, options.output);
    if (!opened.ok()) return Fail(console, name, opened.error());
    file = *std::move(opened);
    if (input.purpose == Purpose::kTune) {
      const auto rows = file->RowsOf(target);
      tuned.insert(tuned.end(), rows.begin(), rows.end());
    }
  }
  if (!bench.no_gpu.empty()) {
    console.err << "tunehub-agent " << name
                << ": uses the CPU, because no GPU was found: " << bench.no_gpu
                << " (--device cpu skips the search for a GPU)\n";
  }
  Outbox outbox(bench.spool, bench.hub.get(), {.batches_per_push = options.batch});
  auto log = OpenLog(options, input, console);
  if (!log.ok()) return Fail(console, name, log.error());
  Progress progress(options.json ? nullptr : &console.out,
                    {.terminal = ::isatty(STDERR_FILENO) == 1,
                     .searches = input.purpose == Purpose::kTune,
                     .log = &*log});
  Outputs outputs(*input.family, target, std::move(file), progress);
  if (!options.profile.empty()) {
    const auto opened = outputs.OpenProfile(options.profile);
    if (!opened.ok()) return Fail(console, name, opened.error());
  }
  options.search.stop = core::CatchStopSignals();
  const auto summary = TuneOnAll(options, input, bench, tuned, outbox, outputs);
  if (!summary.ok()) {
    *log << summary.error().detail << std::endl;
    return Fail(console, name, summary.error());
  }
  if (!outputs.status().ok()) return Fail(console, name, outputs.status().error());
  if (bench.hub != nullptr) outbox.Drain(options.online.retry);
  const TuneReport report{*summary,
                          target,
                          outbox,
                          bench.spool.Waiting().size(),
                          bench.hub != nullptr,
                          !options.output.empty(),
                          input.purpose != Purpose::kTune};
  Console logged{*log, *log};
  report.Print(false, logged);
  return report.Print(options.json, console);
}

}  // namespace tunehub::agent
