#include "agent/commands/tuning/aiter_options.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/aiter/tuners/aiter_variant.h"

namespace tunehub::agent::tuning {
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
  const tuners::AiterVariant* const variant = tuners::VariantOf(family);
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

tuners::AiterOptions AiterOptionsOf(const TuneOptions& options,
                                    const std::filesystem::path& state) {
  tuners::AiterOptions aiter;
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

}  // namespace tunehub::agent::tuning
