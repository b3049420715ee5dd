#include "agent/commands/tuning/engine_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/tuning/tune_shapes.h"

namespace tunehub::agent::tuning {
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
  if (engines::FindEngineScript(options.tuner, family) != nullptr) return core::Ok();
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

engines::EngineWork EngineWorkOf(const TuneOptions& options) {
  engines::EngineWork work{options.model, options.dtype, options.tp, options.ep, options.grid};
  std::ranges::sort(work.grid);
  work.grid.erase(std::unique(work.grid.begin(), work.grid.end()), work.grid.end());
  return work;
}

engines::EngineSettings EngineSettingsOf(const TuneOptions& options, bool amd) {
  engines::EngineSettings settings;
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

}  // namespace tunehub::agent::tuning
