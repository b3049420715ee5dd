// The options that `tune`, `bench` and `pretune` share, named as AITER's tuners name theirs, and
// what these commands do once they know their shapes: open spool, hub and device, tune, report.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/base/command.h"
#include "agent/base/configuration.h"
#include "agent/device/this_device.h"
#include "agent/engines/script_command.h"
#include "agent/hub/http_client.h"
#include "agent/search/session.h"
#include "agent/search/tune_shapes.h"
#include "core/base/command_line.h"
#include "core/base/result.h"

namespace tunehub::agent {

inline constexpr char kBuiltin[] = "builtin", kAiter[] = "aiter";
// By the engines' own scripts: `tune` and `run`.
inline constexpr char kVllm[] = "vllm", kSglang[] = "sglang", kTunableOp[] = "tunableop";

struct TuneOptions {
  std::string input, output, profile, family, libtype = "all", configs, spool, state, worker;
  std::string device = kAutoDevice, cpus;  // cpus: "" for all that this process may use
  std::string tuner = kBuiltin, logs = DefaultLogs(), aiter, aiter_jit;
  std::vector<std::string> aiter_flags;  // behind `--`, for a script as they are
  std::string engine, dtype;             // vllm, sglang: the checkout, and how it is stored
  std::string model;                     // whose shapes are tuned, in place of -i
  std::vector<int> grid;                 // numbers of tokens; empty: the tuner's own
  int tp = 0, ep = 0;                    // 0: the script's own
  std::string device_root = "/";         // below which /sys and /proc tell of the device
  bool all = false, json = false, split_k = false, verbose = false;
  int batch = 1, mp = 1;
  int timeout_s = 30;
  SearchOptions search;
  OnlineOptions online;
  std::string arguments;        // the command line, for the run's provenance
  std::set<std::string> given;  // options that it has: the others are AITER's to choose

  bool IsGiven(const std::string& option) const { return given.contains(option); }
  bool ByEngine() const { return tuner == kVllm || tuner == kSglang || tuner == kTunableOp; }
};

// Where what is done already is found: --state, else the path beside the spool,
// ~/.local/state/tunehub/tune.
std::filesystem::path StateFolder(const TuneOptions& options);

// Takes `-- FLAGS` off the end, into options.aiter_flags; how many arguments are left.
int TakeAiterFlags(int argc, char** argv, TuneOptions& options);

// --device and --cpus.
void AddDeviceOptions(cli::CommandLine& line, TuneOptions& options);
// `output`: what -o, --output is, in --help.
void AddTuneOptions(cli::CommandLine& line, TuneOptions& options, const std::string& output,
                    const std::vector<std::string>& tuners = {kBuiltin, kAiter});
// The model, and what vLLM's and SGLang's scripts are told.
void AddEngineOptions(cli::CommandLine& line, TuneOptions& options);
// After the arguments were parsed: fills `given`. Errors: bad_arguments, an option that the tuner
// does not have.
core::Status CheckTuneOptions(const cli::CommandLine& line, TuneOptions& options);

// The command line as the run tells it: without the API key.
std::string ArgumentsText(int argc, char** argv);

// What a command works with.
struct Bench {
  Configuration configuration;
  DeviceInfo device;
  std::vector<DeviceInfo> beside;  // further GPUs of the same target, by --mp
  std::string no_gpu;              // why it is the CPU; "": it is the GPU, or nobody asked for it
  Spool spool;
  std::unique_ptr<HubClient> hub;  // null: none was named
};

// By another tuner than the built-in one it may be a host whose GPU the kernel driver does not
// list: its scripts will say so. Errors: no_configs, no_device (also where --mp wants more GPUs
// than there are), other_target, file_unwritable, bad_hub.
core::Result<Bench> OpenBench(const TuneOptions& options);

struct TuneInput {
  const core::Family* family = nullptr;
  std::vector<Columns> shapes;
  std::vector<TunedRow> tuned;  // kAfter: what is to be measured
  Purpose purpose = Purpose::kTune;
  std::string label;
};

// The exit code of the command `name`: 0 all done, 1 not all, 2 an error.
int TuneAndReport(const std::string& name, TuneOptions options, const TuneInput& input,
                  Bench& bench, Console& console);

}  // namespace tunehub::agent
