#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <span>

#include "agent/engines/script_command.h"
#include "agent/tune/commands.h"

namespace tunehub::agent {
namespace {

struct Refused {
  const char* option;
  bool bench_only;
  const char* why;
};
constexpr char kBenchRunsAll[] = "a bench runs the kernel that AITER would run for each shape";
constexpr Refused kRefused[] = {
    {"--exhaustive", false, "AITER's scripts time every candidate anyway"},
    {"--worker", false, "AITER's scripts have no worker"},
    {"--all", true, kBenchRunsAll},
    {"--batch", true, kBenchRunsAll},
    {"--libtype", true, kBenchRunsAll},
    {"--min-improvement-pct", true, kBenchRunsAll},
    {"--profile-file", true, kBenchRunsAll},
    {"--splitK", true, kBenchRunsAll},
};

// Flags that tunehub itself sets, because it needs them to find a run's files or to judge its rows.
constexpr std::string_view kOwnFlags[] = {"--untune_file", "--input_file",   "--tune_file",
                                          "--tuned_file",  "--profile_file", "--run_config",
                                          "--errRatio",    "--apply"};

core::Error Bad(const std::string& what, const std::string& why) {
  return {"bad_arguments", what + ": " + why};
}

// argparse accepts a prefix of a long flag.
bool IsBeginningOf(std::string_view flag, std::span<const std::string_view> own) {
  const std::string_view name = flag.substr(0, flag.find('='));
  return name.size() > 2 && name.starts_with("--") &&
         std::ranges::any_of(own, [&](std::string_view it) { return it.starts_with(name); });
}

// Errors: bad_arguments (tunehub itself sets one of the flags after `--`).
core::Status CheckFlags(const std::vector<std::string>& flags, const std::string& takers,
                        const std::string& taker,
                        const std::function<bool(std::string_view)>& is_own) {
  if (!flags.empty() && !flags.front().starts_with("-")) {
    return Bad("-- " + flags.front(), takers + " take only flags, which begin with -");
  }
  for (const std::string& flag : flags) {
    if (!is_own(flag)) continue;
    return Bad(
        "-- " + flag,
        fmt::format("leave out this flag, which tunehub itself gives to {}; see --help", taker));
  }
  return core::Ok();
}

// The GPU of --device, and with --mp N the N - 1 after it. Empty: every GPU that the scripts see.
std::vector<int> NamedGpus(const TuneOptions& options) {
  std::vector<int> gpus;
  const auto device = ReadDeviceOption(options.device);
  const bool named = options.device.find(':') != std::string::npos && device.ok();
  for (int i = 0; named && i < options.mp; ++i) gpus.push_back(device->index + i);
  return gpus;
}

bool Has(const std::vector<std::string>& flags, const char* flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

// An option, and the engines' tuners that support it.
struct Heeded {
  const char* option;
  bool scripts;  // vllm, sglang
  bool tunableop;
  const char* why;  // why the other tuners do not support it
};
constexpr char kNoCandidates[] = "the engine's script chooses the candidates";
constexpr char kOneGpu[] = "TunableOp tunes on one GPU";
constexpr char kModels[] = "TunableOp tunes the shapes of -i";
constexpr Heeded kHeeded[] = {
    {"--aiter", false, false, "this option needs --tuner aiter"},
    {"--aiter-jit", false, false, "this option needs --tuner aiter"},
    {"--all", false, false, "the engine's script tunes every shape"},
    {"--batch", false, false, "the engine's script does not support it"},
    {"--cpus", false, false, "the engine's script runs on a GPU"},
    {"--dtype", true, false, kModels},
    {"--engine", true, false, "the PyTorch that python3 imports does the tuning"},
    {"--ep", true, false, kModels},
    {"--err-ratio", false, false, "the engine's script does not support it"},
    {"--exhaustive", false, false, kNoCandidates},
    {"--grid", true, false, kModels},
    {"--input", false, true, "the engine's script has its own shapes, or takes those of --model"},
    {"--iters", false, true, "the engine's script does not support it"},
    {"--libtype", false, false, kNoCandidates},
    {"--min-improvement-pct", false, false, "the engine's script does not support it"},
    {"--model", true, false, kModels},
    {"--mp", true, false, kOneGpu},
    {"--profile-file", false, false, "this tuner sends all times to the hub"},
    {"--splitK", false, false, kNoCandidates},
    {"--tp", true, false, kModels},
    {"--warmup", false, true, "the engine's script does not support it"},
    {"--worker", false, false, "the engine's script has no worker"},
};

// Flags that tunehub itself sets, because it needs them to find a run's files.
constexpr std::string_view kEngineOwn[] = {"--tune",       "--save-dir", "--save-path",
                                           "--batch-size", "--model",    "--tp-size",
                                           "--ep-size",    "--dtype",    "--enable-expert-parallel",
                                           "--batch-sizes"};

core::Status CheckFlagsBehind(const TuneOptions& options) {
  if (options.aiter_flags.empty()) return core::Ok();
  const std::string first = "-- " + options.aiter_flags.front();
  if (options.tuner == kTunableOp) {
    return Bad(first,
               "TunableOp has no script that takes flags. Set its environment variables instead "
               "(PYTORCH_TUNABLEOP_NUMERICAL_CHECK and others), which the agent passes on");
  }
  return CheckFlags(
      options.aiter_flags, "the engines' scripts", "the script", [](std::string_view flag) {
        return IsBeginningOf(flag, kEngineOwn) || flag.substr(0, flag.find('=')) == "-tp";
      });
}

core::Status CheckNeeded(const TuneOptions& options) {
  const std::string tuner = fmt::format("--tuner {}", options.tuner);
  if (options.tuner == kTunableOp) {
    if (options.input.empty()) {
      return Bad(tuner, "pass -i FILE, an untuned file of TunableOp");
    }
    return core::Ok();
  }
  if (options.engine.empty()) {
    return Bad(
        tuner,
        fmt::format("pass --engine DIR, a checkout of {}, because the package has no tune scripts",
                    options.tuner));
  }
  const std::string family = EngineFamily(options);
  if (FindEngineScript(options.tuner, family) != nullptr) return core::Ok();
  return Bad("--family " + family, fmt::format("{} has a tune script for triton_fused_moe and "
                                               "triton_block_gemm",
                                               options.tuner));
}

core::Status CheckOther(const TuneOptions& options) {
  for (const char* option : {"--engine", "--ep", "--dtype"}) {
    if (options.IsGiven(option)) {
      return Bad(fmt::format("{} with --tuner {}", option, options.tuner),
                 "this option needs --tuner vllm or sglang");
    }
  }
  for (const char* option : {"--tp", "--grid"}) {
    if (options.IsGiven(option) && options.model.empty())
      return Bad(option, "pass --model, too, because this option applies to a model's shapes");
  }
  if (options.input.empty() == options.model.empty()) {
    return Bad("-i, --input", options.input.empty()
                                  ? "pass a file of the shapes to tune, or --model"
                                  : "pass either a file or --model");
  }
  return core::Ok();
}

}  // namespace

core::Status CheckAiterOptions(const TuneOptions& options, Purpose purpose) {
  for (const Refused& refused : kRefused) {
    if (!options.IsGiven(refused.option)) continue;
    if (!refused.bench_only || purpose != Purpose::kTune) {
      return Bad(fmt::format("{} with --tuner aiter", refused.option), refused.why);
    }
  }
  if (options.device == kCpuDevice) {
    return Bad("--device cpu with --tuner aiter", "AITER's scripts run on an AMD GPU");
  }
  const bool improves =
      Has(options.aiter_flags, "--compare") && Has(options.aiter_flags, "--update_improved");
  if (options.IsGiven("--min-improvement-pct") && !improves) {
    return Bad("--min-improvement-pct with --tuner aiter",
               "AITER's scripts use it only with `-- --compare --update_improved`");
  }
  return CheckFlags(options.aiter_flags, "AITER's scripts", "AITER's scripts",
                    [](std::string_view flag) {  // argparse reads "-oFILE" as "-o FILE"
                      return IsBeginningOf(flag, kOwnFlags) || flag.starts_with("-i") ||
                             flag.starts_with("-o");
                    });
}

core::Status CheckAiterFamily(const TuneOptions& options, const core::Family& family) {
  const AiterVariant* const variant = VariantOf(family.tune_script);
  if (variant == nullptr) return core::Ok();  // the planning reports an unknown variant
  const std::string script(variant->script);
  if (options.split_k && !variant->split_k) {
    return Bad("-k, --splitK", fmt::format("AITER's {} has no candidates that split K", script));
  }
  if (options.IsGiven("--libtype") && !variant->libtype) {
    return Bad("--libtype " + options.libtype,
               fmt::format("AITER's {} does not support it", script));
  }
  return core::Ok();
}

AiterOptions AiterOptionsOf(const TuneOptions& options) {
  AiterOptions aiter;
  aiter.root = options.aiter;
  aiter.logs = options.logs;
  aiter.jit = options.aiter_jit.empty() ? StateFolder(options) / "aiter-jit"
                                        : std::filesystem::path(options.aiter_jit);
  aiter.devices = NamedGpus(options);
  if (options.IsGiven("--batch")) aiter.batch = options.batch;
  if (options.IsGiven("--mp")) aiter.mp = options.mp;
  if (options.IsGiven("--err-ratio")) aiter.err_ratio = options.search.error_limit;
  if (options.IsGiven("--libtype")) aiter.libtype = options.libtype;
  if (options.IsGiven("--warmup")) aiter.warmup = options.search.warmup;
  if (options.IsGiven("--iters")) aiter.iters = options.search.rounds;
  if (options.IsGiven("--candidate-timeout")) aiter.task_timeout_s = options.timeout_s;
  if (options.IsGiven("--min-improvement-pct")) {
    aiter.min_improvement_pct = options.search.min_improvement_pct;
  }
  aiter.split_k = options.split_k;
  aiter.all = options.all;
  aiter.verbose = options.verbose;
  aiter.extra = options.aiter_flags;
  return aiter;
}

core::Status CheckEngineHeeds(const TuneOptions& options) {
  for (const Heeded& heeded : kHeeded) {
    const bool fits = options.tuner == kTunableOp ? heeded.tunableop : heeded.scripts;
    if (!fits && options.IsGiven(heeded.option)) {
      return Bad(fmt::format("{} with --tuner {}", heeded.option, options.tuner), heeded.why);
    }
  }
  if (options.device == kCpuDevice) {
    return Bad("--device cpu with --tuner " + options.tuner, "the engine's script runs on a GPU");
  }
  const auto device = ReadDeviceOption(options.device);
  if (!device.ok()) return device.error();
  return CheckFlagsBehind(options);
}

core::Status CheckEngineOptions(const TuneOptions& options) {
  if (!options.ByEngine()) return CheckOther(options);
  if (auto status = CheckEngineHeeds(options); !status.ok()) return status;
  for (const int tokens : options.grid) {
    if (tokens < 1)
      return Bad(fmt::format("--grid {}", tokens), "expected numbers of tokens from 1");
  }
  if (options.tuner == kTunableOp && !options.family.empty() && options.family != "tunableop") {
    return Bad("--family " + options.family,
               "expected tunableop, the only family of TunableOp's rows");
  }
  return CheckNeeded(options);
}

std::string EngineFamily(const TuneOptions& options) {
  if (options.tuner == kTunableOp) return "tunableop";
  return options.family.empty() ? "triton_fused_moe" : options.family;
}

EngineWork EngineWorkOf(const TuneOptions& options) {
  EngineWork work{options.model, options.dtype, options.tp, options.ep, options.grid};
  std::ranges::sort(work.grid);
  work.grid.erase(std::unique(work.grid.begin(), work.grid.end()), work.grid.end());
  return work;
}

EngineSettings EngineSettingsOf(const TuneOptions& options, bool amd) {
  EngineSettings settings;
  settings.work = StateFolder(options) / "engines";
  settings.logs = options.logs;
  settings.extra = options.aiter_flags;
  if (options.IsGiven("--candidate-timeout")) {
    settings.limit = std::chrono::seconds(options.timeout_s);
  }
  const std::vector<int> gpus = NamedGpus(options);
  if (gpus.empty()) return settings;
  // ROCr's variable hides GPUs from HIP and Ray. HIP's own variable would give new numbers to the
  // remaining GPUs.
  settings.environment[amd ? "ROCR_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES"] =
      fmt::format("{}", fmt::join(gpus, ","));
  return settings;
}

}  // namespace tunehub::agent
