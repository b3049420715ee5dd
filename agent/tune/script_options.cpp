#include "agent/tune/script_options.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/engines/script_command.h"
#include "agent/search/tune_shapes.h"

namespace tunehub::agent {
namespace {

struct Refused {
  const char* option;
  bool bench_only;
  const char* why;
};
constexpr char kBenchRunsAll[] = "a bench runs what AITER would run for each shape";
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

// What a run would not find its files by, or judge its rows by, if it were given behind `--`.
constexpr std::string_view kOwnFlags[] = {"--untune_file", "--input_file",   "--tune_file",
                                          "--tuned_file",  "--profile_file", "--run_config",
                                          "--errRatio",    "--apply"};

core::Error Bad(const std::string& what, const std::string& why) {
  return {"bad_arguments", what + ": " + why};
}

// argparse takes the beginning of a long flag for the flag, and "-oFILE" for "-o FILE".
bool IsOwn(std::string_view flag) {
  if (flag.starts_with("--")) {
    const std::string_view name = flag.substr(0, flag.find('='));
    return name.size() > 2 && std::ranges::any_of(kOwnFlags, [&](std::string_view own) {
             return own.starts_with(name);
           });
  }
  return flag.starts_with("-i") || flag.starts_with("-o");
}

core::Status CheckFlags(const std::vector<std::string>& flags) {
  if (!flags.empty() && !flags.front().starts_with("-")) {
    return Bad("-- " + flags.front(), "AITER's scripts take flags only");
  }
  for (const std::string& flag : flags) {
    if (IsOwn(flag)) {
      return Bad("-- " + flag, "tunehub gives AITER's scripts this flag itself; see --help");
    }
  }
  return core::Ok();
}

bool Has(const std::vector<std::string>& flags, const char* flag) {
  return std::ranges::find(flags, flag) != flags.end();
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
               "AITER's scripts heed it with `-- --compare --update_improved` only");
  }
  return CheckFlags(options.aiter_flags);
}

core::Status CheckAiterFamily(const TuneOptions& options, const core::Family& family) {
  const AiterVariant* const variant = VariantOf(family.tune_script);
  if (variant == nullptr) return core::Ok();  // planning says so
  const std::string script(variant->script);
  if (options.split_k && !variant->split_k) {
    return Bad("-k, --splitK", fmt::format("AITER's {} has no candidates that split K", script));
  }
  if (options.IsGiven("--libtype") && !variant->libtype) {
    return Bad("--libtype " + options.libtype,
               fmt::format("AITER's {} has no such option", script));
  }
  return core::Ok();
}

AiterOptions AiterOptionsOf(const TuneOptions& options, const std::filesystem::path& state) {
  AiterOptions aiter;
  aiter.root = options.aiter;
  aiter.logs = options.logs;
  aiter.jit =
      options.aiter_jit.empty() ? state / "aiter-jit" : std::filesystem::path(options.aiter_jit);
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

namespace {

// An option, and the tuners among the engines' that heed it.
struct Heeded {
  const char* option;
  bool scripts;  // vllm, sglang
  bool tunableop;
  const char* why;  // the others do not
};
constexpr char kNoCandidates[] = "its script chooses its candidates itself";
constexpr char kOneGpu[] = "TunableOp tunes on one GPU";
constexpr char kModels[] = "it tunes the shapes of -i";
constexpr Heeded kHeeded[] = {
    {"--aiter", false, false, "it is for --tuner aiter"},
    {"--aiter-jit", false, false, "it is for --tuner aiter"},
    {"--all", false, false, "its script tunes every shape"},
    {"--batch", false, false, "its script has no such option"},
    {"--cpus", false, false, "its script runs on a GPU"},
    {"--dtype", true, false, kModels},
    {"--engine", true, false, "it is PyTorch's, which python3 has"},
    {"--ep", true, false, kModels},
    {"--err-ratio", false, false, "its script has no such option"},
    {"--exhaustive", false, false, kNoCandidates},
    {"--grid", true, false, kModels},
    {"--input", false, true, "its script takes its shapes from --model or has them itself"},
    {"--iters", false, true, "its script has no such option"},
    {"--libtype", false, false, kNoCandidates},
    {"--min-improvement-pct", false, false, "its script has no such option"},
    {"--model", true, false, kModels},
    {"--mp", true, false, kOneGpu},
    {"--profile-file", false, false, "what it times is sent to the hub"},
    {"--splitK", false, false, kNoCandidates},
    {"--tp", true, false, kModels},
    {"--verbose", false, false, "its script has no such option"},
    {"--warmup", false, true, "its script has no such option"},
    {"--worker", false, false, "its script has no worker"},
};

// What a run would not find its files by if it were given behind `--`.
constexpr std::string_view kOwn[] = {"--tune",       "--save-dir", "--save-path",
                                     "--batch-size", "--model",    "--tp-size",
                                     "--ep-size",    "--dtype",    "--enable-expert-parallel",
                                     "--batch-sizes"};

core::Error RefusedWith(const std::string& what, const std::string& why) {
  return {"bad_arguments", what + ": " + why};
}

// argparse takes the beginning of a long flag for the flag.
bool IsOwnFlag(std::string_view flag) {
  const std::string_view name = flag.substr(0, flag.find('='));
  if (name == "-tp") return true;
  return name.size() > 2 && name.starts_with("--") &&
         std::ranges::any_of(kOwn, [&](std::string_view own) { return own.starts_with(name); });
}

core::Status CheckFlagsBehind(const TuneOptions& options) {
  if (options.aiter_flags.empty()) return core::Ok();
  const std::string first = "-- " + options.aiter_flags.front();
  if (options.tuner == kTunableOp) {
    return RefusedWith(first,
                       "TunableOp has no script with flags; its settings are variables "
                       "(PYTORCH_TUNABLEOP_NUMERICAL_CHECK and others), which it gets as they are");
  }
  if (!options.aiter_flags.front().starts_with("-")) {
    return RefusedWith(first, "the engines' scripts take flags only");
  }
  for (const std::string& flag : options.aiter_flags) {
    if (IsOwnFlag(flag)) {
      return RefusedWith("-- " + flag, "tunehub gives the script this flag itself; see --help");
    }
  }
  return core::Ok();
}

core::Status CheckNeeded(const TuneOptions& options) {
  const std::string tuner = fmt::format("--tuner {}", options.tuner);
  if (options.tuner == kTunableOp) {
    if (options.input.empty()) {
      return RefusedWith(tuner, "-i FILE is needed: an untuned file of TunableOp's");
    }
    return core::Ok();
  }
  if (options.engine.empty()) {
    return RefusedWith(
        tuner, fmt::format("--engine DIR is needed: a checkout of {}, since its package has "
                           "no tune scripts",
                           options.tuner));
  }
  const std::string family = EngineFamily(options);
  if (FindEngineScript(options.tuner, family) != nullptr) return core::Ok();
  return RefusedWith("--family " + family,
                     fmt::format("{} has a tune script for triton_fused_moe and "
                                 "triton_block_gemm",
                                 options.tuner));
}

core::Status CheckOther(const TuneOptions& options) {
  for (const char* option : {"--engine", "--ep", "--dtype"}) {
    if (options.IsGiven(option)) {
      return RefusedWith(fmt::format("{} with --tuner {}", option, options.tuner),
                         "it is for --tuner vllm or sglang");
    }
  }
  for (const char* option : {"--tp", "--grid"}) {
    if (options.IsGiven(option) && options.model.empty())
      return RefusedWith(option, "it is of a model's shapes: --model is needed");
  }
  if (options.input.empty() == options.model.empty()) {
    return RefusedWith("-i, --input", options.input.empty()
                                          ? "it is required: the shapes to tune, or --model"
                                          : "the shapes are of a file or of --model, not both");
  }
  return core::Ok();
}

}  // namespace

core::Status CheckEngineHeeds(const TuneOptions& options) {
  for (const Heeded& heeded : kHeeded) {
    const bool fits = options.tuner == kTunableOp ? heeded.tunableop : heeded.scripts;
    if (!fits && options.IsGiven(heeded.option)) {
      return RefusedWith(fmt::format("{} with --tuner {}", heeded.option, options.tuner),
                         heeded.why);
    }
  }
  if (options.device == kCpuDevice) {
    return RefusedWith("--device cpu with --tuner " + options.tuner, "its script runs on a GPU");
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
      return RefusedWith(fmt::format("--grid {}", tokens), "a number of tokens is at least 1");
  }
  if (options.tuner == kTunableOp && !options.family.empty() && options.family != "tunableop") {
    return RefusedWith("--family " + options.family,
                       "TunableOp's rows are of the family tunableop");
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
  const std::filesystem::path state =
      options.state.empty() ? DefaultState() : std::filesystem::path(options.state);
  settings.work = state / "engines";
  settings.logs = options.logs;
  settings.extra = options.aiter_flags;
  if (options.IsGiven("--candidate-timeout")) {
    settings.limit = std::chrono::seconds(options.timeout_s);
  }
  // A GPU that is named, and with --mp those behind it; else every one that the engine sees.
  const auto device = ReadDeviceOption(options.device);
  if (!device.ok() || options.device.find(':') == std::string::npos) return settings;
  std::vector<int> gpus;
  for (int i = 0; i < options.mp; ++i) gpus.push_back(device->index + i);
  // ROCr hides the others from HIP and Ray alike; HIP's own variable would count anew.
  settings.environment[amd ? "ROCR_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES"] =
      fmt::format("{}", fmt::join(gpus, ","));
  return settings;
}

}  // namespace tunehub::agent
