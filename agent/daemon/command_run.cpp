#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ostream>

#include "agent/daemon/daemon.h"
#include "agent/daemon/job_tuner.h"
#include "agent/daemon/script_job_tuner.h"
#include "agent/device/this_device.h"
#include "agent/hub/spool.h"
#include "agent/search/tuning_bench.h"
#include "agent/tune/commands.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/read_json.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// The time limit of a request. Heartbeats and claims are small, so an answer that takes longer will
// not come.
constexpr unsigned kRequestTimeoutS = 20;
// The daemon must free the device within a second. AITER's script may use this part of the second
// to flush tables.
constexpr std::chrono::milliseconds kAiterGrace{500};

// The last lines of --help.
constexpr char kRunAiterHelp[] =
    "With --tuner aiter, AITER's own defaults apply: --candidate-timeout 1800, --iters 101,\n"
    "--err-ratio 0.05 (fmoe 0.1, mxscale 0.02, bf16 1.0). Run one daemon for each GPU.\n"
    "Flags after `--` go to AITER's script unchanged: -- --shape_grouped --sort True -v";

// Temporary errors of the host: a full disk, a full spool.
constexpr const char* kMayPass[] = {"disk_full", "file_unwritable", "spool_full"};

struct RunOptions {
  TuneOptions tune;
  EngineRunOptions engine;
  std::string agent, window;
  std::vector<std::string> families;
  bool always = false;
  double poll_s = 10, settle_s = 5;
  std::string status;
};

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

// The exit status tells a service manager if it should start the agent again.
int Refuse(Console& console, const core::Error& error) {
  const int failed = Fail(console, "run", error);
  return std::ranges::find(kMayPass, error.code) == std::end(kMayPass) ? failed : kPassing;
}

void AddRunOptions(cli::CommandLine& line, RunOptions& options) {
  line.Add("--agent", options.agent,
           "this agent's name at the hub; default: HOST and the device, as in "
           "node7/0000:c1:00.0 or node7/cpu:0-31");
  line.Add("--tuner", options.tune.tuner,
           "builtin: tunehub's kernels; aiter: AITER's scripts on an AMD GPU; vllm, sglang, "
           "tunableop: the engine's own")
      .OneOf({kBuiltin, kAiter, kVllm, kSglang, kTunableOp})
      .ShowDefault();
  AddEngineRunOptions(line, options.tune, options.engine);
  AddDeviceOptions(line, options.tune);
  line.Add("--aiter", options.tune.aiter,
           "AITER's folder; default: $AITER_ROOT_DIR, $AITER_PATH, or the installed package");
  line.Add("--logs", options.tune.logs,
           "folder for the logs of AITER's and engines' scripts; default: $AITER_PATH/tune_logs, "
           "else tune_logs in the current folder");
  line.Add(
      "--aiter-jit", options.tune.aiter_jit,
      "aiter: folder for the kernels that AITER compiles; default: aiter-jit in the state folder");
  line.AddFlag("-k,--splitK", options.tune.split_k,
               "aiter: also try candidates that split K, if the family has them");
  line.Add("--libtype", options.tune.libtype,
           "aiter: use only kernels of this library (AITER's libtype), for families that offer a "
           "choice");
  line.Add("--device-root", options.tune.device_root,
           "in a container: the folder with the host's /sys and /proc")
      .ShowDefault();
  line.Add("--family", options.families, "tune only these families").Delimiter(',');
  line.Add("--window", options.window, "tune only within these hours: 01:00-05:00");
  line.AddFlag("--always", options.always, "tune even while other processes use the device");
  line.Add("--poll", options.poll_s, "seconds to wait between two requests for a job")
      .Range(0.05, 3600.0)
      .ShowDefault();
  line.Add("--settle", options.settle_s,
           "seconds that the device must be idle before the agent uses it")
      .Range(0.0, 3600.0)
      .ShowDefault();
  line.Add("--err-ratio", options.tune.search.error_limit,
           "share of wrong elements above which a candidate is rejected")
      .Range(0.0, 1.0)
      .ShowDefault("builtin: 0.05, aiter: the script's own limit");
  line.AddFlag(
      "--exhaustive", options.tune.search.exhaustive,
      "measure every candidate with all samples; do not skip candidates that look slow at first");
  line.Add("--candidate-timeout,--timeout", options.tune.timeout_s,
           "timeout in seconds of one measurement of a candidate; aiter: of one task")
      .Range(1, 86'400)
      .ShowDefault("builtin: 30, aiter: 1800");
  line.Add("--iters", options.tune.search.rounds,
           "samples of each of the fastest candidates; aiter: of every candidate")
      .Range(1, 10'000)
      .ShowDefault("builtin: 20, aiter: 101");
  line.Add("--spool", options.tune.spool, kSpoolHelp);
  line.Add("--state", options.tune.state,
           "this agent's folder: its identity and journals; default: agents/NAME beside "
           "the spool");
  line.Add("--status", options.status,
           "the file that `tunehub-agent status` reads; default: status.json in that folder")
      .Env("TUNEHUB_STATUS");
  line.Add("--worker", options.tune.worker, "the program that runs candidates");
  line.Add("--configs", options.tune.configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.tune.json, "print one JSON object per event");
  AddOnlineOptions(line, options.tune.online);
  line.SetFooter(kRunAiterHelp);
}

std::unique_ptr<Probe> ProbeOf(const RunOptions& options, const DeviceInfo& device) {
  if (device.kind == "nvidia") return NvidiaProbe(device.gpu, device.address);
  if (options.tune.tuner != kBuiltin || device.kind == "amd") {
    // Without an address, the probe looks at all GPUs.
    const bool known = device.address.find('.') != std::string::npos;
    return AmdProbe(options.tune.device_root, known ? device.address : "");
  }
  const bool pinned = !options.tune.cpus.empty();
  return CpuProbe(options.tune.device_root, pinned ? UsableCpus() : std::vector<int>());
}

std::string NameOf(const RunOptions& options, const DeviceInfo& device) {
  return options.agent.empty() ? HostName() + "/" + device.address : options.agent;
}

fs::path StateOf(const RunOptions& options, const DeviceInfo& device) {
  return options.tune.state.empty() ? Instance::DefaultFolder(NameOf(options, device))
                                    : fs::path(options.tune.state);
}

core::Result<std::unique_ptr<JobTuner>> OpenTuner(const RunOptions& options, const Bench& bench) {
  if (options.tune.tuner == kBuiltin) {
    auto worker = WorkerFor(bench.configuration, options.tune.worker, bench.device);
    worker.candidate = std::chrono::seconds(options.tune.timeout_s);
    return std::unique_ptr<JobTuner>(std::make_unique<BuiltinTuner>(
        bench.configuration, bench.spool, *bench.hub, std::move(worker)));
  }
  if (bench.device.target.gfx.empty()) {
    const auto device = ReadDeviceOption(options.tune.device);
    return AmdDevice(options.tune.device_root, device.ok() ? device->index : 0).error();
  }
  const fs::path state = StateOf(options, bench.device);
  if (options.tune.ByEngine()) {
    return OpenEngineTuner(options.tune, options.engine, bench, state);
  }
  // AiterOptions::jit is in the shared state folder, so that the daemons share compiled modules.
  AiterOptions aiter = AiterOptionsOf(options.tune);
  aiter.work = state / "aiter";
  aiter.grace = kAiterGrace;
  aiter.mp = 1;  // each further GPU has its own daemon
  aiter.devices = {std::max(bench.device.gpu, 0)};
  // All jobs share one private tree: AITER compiles kernels into it, which takes minutes.
  auto tuner = AiterTuner::Open(std::move(aiter), bench.configuration.targets);
  if (!tuner.ok()) return tuner.error();
  return std::unique_ptr<JobTuner>(std::make_unique<AiterJobTuner>(
      *std::move(tuner), bench.configuration.targets, bench.device));
}

int Serve(const RunOptions& options, const Bench& bench, HubClient& heartbeat_hub,
          const IdleOptions& idle, Console& console) {
  const auto stop = core::CatchStopSignals();
  const auto tuner = OpenTuner(options, bench);
  if (!tuner.ok()) return Refuse(console, tuner.error());
  const auto families = FamiliesOf(options.tune, options.families, bench);
  if (!families.ok()) return Refuse(console, families.error());
  const std::string name = NameOf(options, bench.device);
  const fs::path state = StateOf(options, bench.device);
  const auto instance = Instance::Open(state, name);
  if (!instance.ok()) return Refuse(console, instance.error());
  if (!bench.no_gpu.empty()) {
    console.err << "tunehub-agent run: tuning on the CPU: " << bench.no_gpu << '\n';
  }
  const AgentId id{name, instance->id(), HostName(), bench.device.target};
  StatusFile status(options.status.empty() ? StatusFile::PathIn(state) : fs::path(options.status),
                    {{"agent", id.name},
                     {"instance", id.instance},
                     {"spool", fs::absolute(bench.spool.folder()).string()},
                     {"pid", ::getpid()},
                     {"hub", options.tune.online.hub},
                     {"device", NameOf(bench.device, bench.configuration.targets.devices())},
                     {"gfx", id.target.gfx},
                     {"cu_num", id.target.cu_num}});
  // A heartbeat gets one try, because the next heartbeat follows soon, and pauses between tries
  // would delay it.
  JobQueue queue(*bench.hub, id, {.tries = 2, .stop = stop}),
      heartbeat_queue(heartbeat_hub, id, {.tries = 1});
  DaemonOptions daemon_options;
  daemon_options.families = *families;
  daemon_options.poll = std::chrono::milliseconds(static_cast<int>(options.poll_s * 1000));
  daemon_options.state = state;
  daemon_options.search = options.tune.search;
  daemon_options.arguments = options.tune.arguments;
  daemon_options.retry = options.tune.online.retry;
  daemon_options.retry.stop = stop;
  daemon_options.stop = stop;
  daemon_options.json = options.tune.json;
  Daemon daemon({bench.configuration, bench.device, bench.spool, *bench.hub, queue, heartbeat_queue,
                 **tuner, status, console.out},
                daemon_options);
  IdlePace pace(
      ProbeOf(options, bench.device), idle, [&] { return (*tuner)->own(); },
      [&] { (*tuner)->GiveUp(); }, [&] { return daemon.MustStop(); });
  const auto ended = daemon.Run(pace);
  if (ended.ok()) return kGood;
  const int code = Refuse(console, ended.error());
  // The device existed at the start. It may come back after a driver reload or a GPU reset.
  return ended.error().code == kNoDevice ? kPassing : code;
}

// The named file, or the status files of all agents that have run as this user.
std::vector<fs::path> Files(const std::string& path) {
  if (!path.empty()) return {path};
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& folder : fs::directory_iterator(Instance::DefaultParent(), error)) {
    if (fs::exists(StatusFile::PathIn(folder.path()), error)) {
      files.push_back(StatusFile::PathIn(folder.path()));
    }
  }
  std::ranges::sort(files);
  return files;
}

core::Result<nlohmann::ordered_json> ReadStatus(const fs::path& path) {
  const auto bytes = core::FileBytes::Read(path);
  if (!bytes.ok()) return bytes.error();
  auto json = core::ReadJsonAs<nlohmann::ordered_json>(bytes->view());
  if (json.is_object()) return json;
  return core::Error{"bad_status", path.string() + ": expected a JSON object"};
}

bool Runs(const nlohmann::ordered_json& status) {
  const auto pid = status.value("pid", 0);
  return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM) &&
         status.value("doing", "") != "stopped";
}

// Updates members that change without the daemon, or while it is busy.
void LookAtSpool(nlohmann::ordered_json& status) {
  const std::string spool = status.value("spool", "");
  if (spool.empty()) return;
  status["waiting"] = Spool::CountWaiting(spool);
  if (const auto aside = Spool::CountAside(spool); aside > 0) status["set_aside"] = aside;
}

void Print(const nlohmann::ordered_json& status, std::ostream& out) {
  for (const auto& [name, value] : status.items()) {
    if (value.is_null() || value == "") continue;
    out << name << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
  }
}

}  // namespace

int RunDaemon(int argc, char** argv, Console& console) {
  RunOptions options;
  options.tune.online.request_timeout_s = kRequestTimeoutS;
  options.tune.arguments = ArgumentsText(argc, argv);
  cli::CommandLine line(
      "Claims jobs for this device and tunes them while the device is idle. Runs until you stop "
      "it.",
      "tunehub-agent run");
  AddRunOptions(line, options);
  argc = TakeAiterFlags(argc, argv, options.tune);
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (!options.tune.json) StampLines(console.out);
  // The log names what the daemon waits for.
  SetNotes({Notes().quiet, Notes().requests, false}, console.err);
  auto status = CheckTuneOptions(line, options.tune);
  if (status.ok()) status = CheckEngineRun(options.tune, options.engine);
  if (status.ok() && options.tune.tuner == kAiter) {
    status = CheckAiterOptions(options.tune, Purpose::kTune);
  }
  if (!status.ok()) return Refuse(console, status.error());
  if (options.tune.online.hub.empty()) {
    return Refuse(console, {"no_hub", "pass --hub URL: the jobs come from a hub"});
  }
  IdleOptions idle;
  idle.always = options.always;
  idle.settle = std::chrono::milliseconds(static_cast<int>(options.settle_s * 1000));
  if (!options.window.empty()) {
    const auto window = ParseWindow(options.window);
    if (!window.ok()) return Refuse(console, window.error());
    idle.window = *window;
  }
  const auto bench = OpenBench(options.tune);
  if (!bench.ok()) return Refuse(console, bench.error());
  const auto heartbeat_hub = Connect(options.tune.online);
  if (!heartbeat_hub.ok()) return Refuse(console, heartbeat_hub.error());
  return Serve(options, *bench, **heartbeat_hub, idle, console);
}

int RunStatus(int argc, char** argv, Console& console) {
  std::string path;
  bool json = false;
  cli::CommandLine line(
      "Shows this host's agents (tunehub-agent run), their work and their problems. Exit code 1: "
      "an agent is down.",
      "tunehub-agent status");
  line.Add("--status", path,
           "the status file of one `tunehub-agent run`; default: the files of all agents "
           "beside the spool ($TUNEHUB_SPOOL, else ~/.local/state/tunehub/spool)")
      .Env("TUNEHUB_STATUS");
  line.AddFlag("--json", json, "print JSON, one line for each agent");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  const auto files = Files(path);
  if (files.empty()) {
    return Fail(console, "status",
                {"file_not_found", Instance::DefaultParent().string() +
                                       ": found no status file, so no agent has run here"});
  }
  int code = kGood;
  for (const fs::path& file : files) {
    auto status = ReadStatus(file);
    if (!status.ok()) return Fail(console, "status", status.error());
    const bool runs = Runs(*status);
    if (!runs) code = kFinding;
    LookAtSpool(*status);
    (*status)["runs"] = runs;
    if (json) {
      console.out << status->dump() << '\n';
      continue;
    }
    if (&file != &files.front()) console.out << '\n';
    Print(*status, console.out);
  }
  return code;
}

}  // namespace tunehub::agent
