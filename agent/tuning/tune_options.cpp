#include "agent/tuning/tune_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string_view>

namespace tunehub::agent::tuning {
namespace {

// As --help shows a default that depends on the tuner.
std::string Either(const std::string& builtin, const std::string& aiter) {
  return fmt::format("builtin: {}, aiter: {}", builtin, aiter);
}

}  // namespace

int TakeAiterFlags(int argc, char** argv, TuneOptions& options) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    options.aiter_flags.assign(argv + i + 1, argv + argc);
    return i;
  }
  return argc;
}

void AddDeviceOptions(CLI::App& app, TuneOptions& options) {
  app.add_option("--device", options.device,
                 "gpu, gpu:INDEX, cpu, or auto: the GPU if there is one with kernels")
      ->capture_default_str();
  app.add_option("--cpus", options.cpus,
                 "the CPU as a device of these processors alone, such as 0-15,32");
}

void AddTuneOptions(CLI::App& app, TuneOptions& options) {
  app.add_option("-o,--tune_file", options.output,
                 "the tuned table that gets the winners; its other rows stay");
  app.add_option("--family", options.family, "the family; default: what the file says");
  app.add_option("--profile-file,--profile_file", options.profile,
                 "a table of every candidate measured");
  app.add_option("--err-ratio,--errRatio", options.search.error_limit,
                 "share of wrong elements above which a candidate is rejected")
      ->check(CLI::Range(0.0, 1.0))
      ->default_str(Either("0.05", "as its script says"));
  app.add_option("--tuner", options.tuner, "builtin: tunehub's kernels; aiter: AITER's scripts")
      ->check(CLI::IsMember({kBuiltin, kAiter}))
      ->capture_default_str();
  AddDeviceOptions(app, options);
  app.add_option("--libtype", options.libtype, "whose kernels: all or tunehub; with aiter its own")
      ->capture_default_str();
  app.add_option("--aiter", options.aiter,
                 "aiter: its checkout; default: $AITER_ROOT_DIR, else python's");
  app.add_option("--logs", options.logs, "aiter: the folder of its scripts' logs")
      ->capture_default_str();
  app.add_option("--aiter-jit", options.aiter_jit,
                 "aiter: where what it compiles is kept; default: aiter-jit in the state folder");
  app.add_flag("-k,--splitK", options.split_k, "aiter: also candidates that split K");
  app.add_flag("--all", options.all,
               "also the shapes that are tuned already; with aiter its --all: its scripts begin "
               "with an empty table here and tune every shape anyway");
  app.add_flag("--exhaustive", options.search.exhaustive,
               "every candidate with all its samples: no hints, no first phase");
  app.add_option("--batch", options.batch,
                 "shapes that are sent to the hub together; aiter: that are tuned together")
      ->check(CLI::Range(1, 100'000))
      ->default_str(Either("1", "4"));
  app.add_option("--mp", options.mp, "GPUs in use at a time, each for its share of the shapes")
      ->check(CLI::Range(1, 1024))
      ->default_str(Either("1", "all"));
  app.add_option("--min-improvement-pct,--min_improvement_pct", options.search.min_improvement_pct,
                 "how much faster than the tuned row a challenger must be")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_option("--timeout", options.timeout_s,
                 "seconds for one answer about one candidate; aiter: for one task")
      ->check(CLI::Range(1, 86'400))
      ->default_str(Either("30", "1800"));
  app.add_option("--warmup", options.search.warmup, "untimed calls before a finalist's samples")
      ->check(CLI::Range(1, 10'000))
      ->default_str(Either("2", "5"));
  app.add_option("--iters", options.search.rounds, "samples of a finalist; aiter: of a candidate")
      ->check(CLI::Range(1, 10'000))
      ->default_str(Either("20", "101"));
  app.add_option("--spool", options.spool, "the spool's folder; default: $TUNEHUB_SPOOL");
  app.add_option("--state", options.state, "where a killed tuner finds what it has done");
  app.add_option("--worker", options.worker, "the program that runs candidates");
  app.add_option("--configs", options.configs, "folder with families/ and targets.json");
  app.add_flag("--json", options.json, "report as JSON");
  AddHubOptions(app, options.online);
  app.footer(kAiterHelp);
}

core::Status CheckTuneOptions(const CLI::App& app, TuneOptions& options) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;  // a positional has none
    options.given.insert("--" + option->get_lnames().front());
  }
  if (options.tuner == kAiter) return core::Ok();
  if (!options.aiter_flags.empty()) {
    return core::Error{
        "bad_arguments",
        fmt::format("-- {}: flags behind -- go to AITER's scripts: --tuner aiter is needed",
                    options.aiter_flags.front())};
  }
  if (options.libtype != "all" && options.libtype != "tunehub") {
    return core::Error{"bad_arguments",
                       fmt::format("--libtype {}: the built-in tuner has tunehub's kernels only",
                                   options.libtype)};
  }
  if (options.mp != 1 && options.device == kCpuDevice) {
    return core::Error{"bad_arguments", "--mp: a CPU is one device"};
  }
  if (options.split_k) return core::Error{"bad_arguments", "--splitK is an option of AITER's"};
  return core::Ok();
}

std::string ArgumentsText(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--key") {
      ++i;
      continue;
    }
    if (argument.starts_with("--key=")) continue;
    text += (text.empty() ? "" : " ") + std::string(argument);
  }
  return text;
}

}  // namespace tunehub::agent::tuning
