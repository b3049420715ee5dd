#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "agent/hub/spool.h"
#include "agent/search/tuning_bench.h"
#include "core/row/standing.h"

namespace tunehub::agent {
namespace {

// The last lines of --help.
constexpr char kAiterHelp[] =
    "With --tuner aiter, AITER's own defaults apply: --candidate-timeout 1800, --iters 101,\n"
    "--warmup 5, "
    "--err-ratio 0.05 (fmoe 0.1, mxscale 0.02, bf16 1.0), --mp every visible GPU. Flags "
    "after\n"
    "`--` go to AITER's script unchanged: -- --shape_grouped --sort True --blockPerCu 1 2 -v";

// The help text of a default that depends on the tuner.
std::string Either(const std::string& builtin, const std::string& aiter) {
  return fmt::format("builtin: {}, aiter: {}", builtin, aiter);
}

}  // namespace

std::filesystem::path StateFolder(const TuneOptions& options) {
  return options.state.empty() ? Spool::DefaultFolder().parent_path() / "tune"
                               : std::filesystem::path(options.state);
}

int TakeAiterFlags(int argc, char** argv, TuneOptions& options) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    options.aiter_flags.assign(argv + i + 1, argv + argc);
    return i;
  }
  return argc;
}

void AddDeviceOptions(cli::CommandLine& line, TuneOptions& options) {
  line.Add("--device", options.device,
           "gpu, gpu:INDEX, cpu, or auto: the GPU, if tunehub has kernels for it")
      .Suggest({"auto", "cpu", "gpu"})
      .ShowDefault();
  line.Add("--cpus", options.cpus, "use the CPU, with these processors only, such as 0-15,32");
}

void AddEngineOptions(cli::CommandLine& line, TuneOptions& options) {
  line.Add("--engine", options.engine, "vllm, sglang: the checkout that has their scripts");
  line.Add("--model,--model_dir", options.model,
           "the model whose shapes to tune: a config.json or its folder, or a Hugging Face name; "
           "builtin, aiter: also a known name such as qwen3-32b");
  line.Add("--tp", options.tp,
           "tensor parallelism of the model; default: 1, or the script's default")
      .Range(1, 1024);
  line.Add("--ep", options.ep, "vllm, sglang: expert parallelism").Range(1, 1024);
  line.Add("--dtype", options.dtype,
           "vllm, sglang: the weights' type, as the engine names it: fp8_w8a8")
      .Suggest({"auto", "fp8_w8a8", "int8_w8a16", "int8_w8a8", "int4_w4a16"});
  line.Add("--grid,--nsets", options.grid,
           "numbers of tokens (M) for the model's shapes: 1,64,1024; default: the script's; "
           "builtin, aiter: gradlib's 1,512,1024,2048,3072,4096,8192,16384")
      .Delimiter(',');
}

void AddTuneOptions(cli::CommandLine& line, TuneOptions& options, const std::string& output,
                    const std::vector<std::string>& tuners) {
  line.Add("-o,--output,--tune_file,--tuned_file", options.output, output);
  line.Add("--family", options.family, "the family; default: found from the file");
  line.Add("--profile-file,--profile_file", options.profile,
           "the table to write with every measured candidate");
  line.Add("--err-ratio,--errRatio", options.search.error_limit,
           "share of wrong elements above which a candidate is rejected")
      .Range(0.0, 1.0)
      .ShowDefault(Either("0.05", "the script's own limit"));
  const bool engines = std::ranges::count(tuners, kVllm) > 0;
  line.Add("--tuner", options.tuner,
           std::string("builtin: tunehub's kernels; aiter: AITER's scripts") +
               (engines ? "; vllm, sglang, tunableop: that engine's scripts" : ""))
      .OneOf(tuners)
      .ShowDefault();
  AddDeviceOptions(line, options);
  line.Add("--libtype", options.libtype,
           "use only kernels of this library: all or tunehub; aiter: one of its libtypes")
      .ShowDefault();
  line.Add(
      "--aiter", options.aiter,
      "aiter: AITER's checkout; default: $AITER_ROOT_DIR, $AITER_PATH, else the installed package");
  line.Add("--logs", options.logs,
           "folder for the logs of AITER's scripts; default: $AITER_PATH/tune_logs, else tune_logs "
           "in the current folder");
  line.Add(
      "--aiter-jit", options.aiter_jit,
      "aiter: folder for the kernels that AITER compiles; default: aiter-jit in the state folder");
  line.AddFlag("-k,--splitK", options.split_k, "aiter: also try candidates that split K");
  line.AddFlag("--all", options.all,
               "also tune shapes that are already tuned; aiter: only passes --all to the scripts, "
               "which tune every shape anyway, because they start with an empty table");
  line.AddFlag(
      "-v,--verbose", options.verbose,
      "print each request to the hub, with its status and time; aiter: its scripts log in detail");
  line.AddFlag(
      "--exhaustive", options.search.exhaustive,
      "measure every candidate with all samples; do not skip candidates that look slow at first");
  line.Add("--batch", options.batch,
           "number of shapes to send to the hub together; aiter: to tune together")
      .Range(1, 100'000)
      .ShowDefault(Either("1", "4"));
  line.Add("--mp", options.mp,
           "number of GPUs to use at once; each GPU tunes a share of the shapes")
      .Range(1, 1024)
      .ShowDefault(Either("1", "all"));
  line.Add("--min-improvement-pct,--min_improvement_pct", options.search.min_improvement_pct,
           "percent by which a challenger must be faster than the tuned row")
      .Range(0.0, 100.0)
      .ShowDefault();
  line.Add("--candidate-timeout,--timeout", options.timeout_s,
           "timeout in seconds of one measurement of a candidate; aiter: of one task")
      .Range(1, 86'400)
      .ShowDefault(Either("30", "1800"));
  line.Add("--warmup", options.search.warmup,
           "warm-up calls before the samples of each of the fastest candidates")
      .Range(1, 10'000)
      .ShowDefault(Either("2", "5"));
  line.Add("--iters", options.search.rounds,
           "samples of each of the fastest candidates; aiter: of every candidate")
      .Range(int{core::kLeastSamples}, 10'000)
      .ShowDefault(Either("20", "101"));
  line.Add("--spool", options.spool, kSpoolHelp);
  line.Add("--state", options.state,
           "the folder of journals; a killed tuner continues from its journal");
  line.Add("--worker", options.worker, "the program that runs candidates");
  line.Add("--configs", options.configs, "folder with families/ and targets.json");
  line.AddFlag("--json", options.json, "print the report as JSON");
  AddOnlineOptions(line, options.online);
  line.SetFooter(kAiterHelp);
}

core::Status CheckTuneOptions(const cli::CommandLine& line, TuneOptions& options) {
  options.given = line.Given();
  options.given.erase("--quiet");  // every tuner has it
  if (options.tuner != kBuiltin) return core::Ok();
  const auto bad = [](const std::string& why) { return core::Error{"bad_arguments", why}; };
  if (!options.aiter_flags.empty()) {
    return bad(fmt::format("-- {}: flags after -- go to AITER's scripts, so add --tuner aiter",
                           options.aiter_flags.front()));
  }
  if (options.libtype != "all" && options.libtype != "tunehub") {
    return bad(
        fmt::format("--libtype {}: expected all or tunehub, because the built-in tuner has only "
                    "tunehub's kernels",
                    options.libtype));
  }
  if (options.mp != 1 && options.device == kCpuDevice)
    return bad("--mp: leave it out, because a CPU is one device");
  return options.split_k ? bad("--splitK needs --tuner aiter") : core::Ok();
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

}  // namespace tunehub::agent
