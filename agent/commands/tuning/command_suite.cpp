#include "agent/commands/tuning/command_suite.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <ostream>

#include "agent/aiter/private_tree.h"
#include "agent/base/command_line.h"
#include "agent/commands/tuning/command_compare.h"
#include "agent/commands/tuning/suite.h"
#include "agent/hub/outbox.h"
#include "agent/tuning/device/gpu_facts.h"
#include "agent/tuning/tune_command.h"
#include "core/system/atomic_file.h"
#include "core/system/stop_signals.h"

namespace tunehub::agent::tuning {
namespace {

constexpr char kByDriver[] = "driver", kByProfiler[] = "rocprofv3";
constexpr std::string_view kSuiteHeeds[] = {"--suite",  "--env",
                                            "--timing", "--fail-on-regress",
                                            "--output", "--aiter",
                                            "--json",   "--configs",
                                            "--hub",    "--key",
                                            "--ca",     "--tries",
                                            "--spool",  "--request-timeout",
                                            "--device", "--candidate-timeout"};
constexpr int kLimitSeconds = 1800;  // as AITER's tuners give a task

core::Status CheckSuiteOptions(const SuiteOptions& suite, const TuneOptions& options) {
  for (const std::string& option : options.given) {
    if (std::ranges::find(kSuiteHeeds, option) == std::end(kSuiteHeeds))
      return core::Error{"bad_arguments", option + ": a suite does not heed it"};
  }
  if (suite.environments.size() == 2 && !options.output.empty()) return core::Ok();
  return core::Error{"bad_arguments", "--suite: needs -o FOLDER, and --env twice: golden and new"};
}

// Of the GPU, unless the driver lists none.
analysis::Environment FactsOfHost(const SuiteOptions& suite, const Bench& bench) {
  analysis::Environment facts{{"timing", suite.timing}};
  for (const std::string& it : DeviceMembers(bench.device, bench.configuration.targets.devices()))
    facts[it.substr(0, it.find('='))] = it.substr(it.find('=') + 1);
  return facts;
}

// All that can be wrong before anything runs.
core::Status OpenSuite(const SuiteOptions& suite, const TuneOptions& options, const Bench& bench,
                       SuiteRun& run) {
  const auto aiter = FindAiter(options.aiter, "python3");
  if (!aiter.ok()) return aiter.error();
  run.aiter = *aiter;
  for (const SuiteCase& it : run.cases) {
    if (FindScript(run.aiter, it.script).empty())
      return core::Error{"unknown_kernel",
                         fmt::format("{}: kernel '{}': there is no {} in {}", suite.suite,
                                     it.kernel, it.script, run.aiter.string())};
  }
  if (auto made = core::MakeFolder(run.folder); !made.ok()) return made;
  run.lock = core::Fd(::open(run.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!run.lock.ok()) return core::Unwritable(run.folder, errno);
  if (::flock(run.lock.get(), LOCK_EX | LOCK_NB) != 0)
    return core::Error{"busy", run.folder.string() + ": another suite is measured into it"};
  for (std::size_t i = 0; i < 2; ++i) {
    auto side = OpenSuiteSide(run.families, suite.environments[i], run.folder, run.aiter,
                              FactsOfHost(suite, bench));
    if (!side.ok()) return side.error();
    if (bench.hub && !(side->facts.contains("gfx") && side->facts.contains("cu_num")))
      return core::Error{"no_device",
                         fmt::format("{}: a hub needs gfx and cu_num, and the driver lists no GPU",
                                     suite.environments[i])};
    run.sides[i] = *std::move(side);
  }
  if (run.sides[0].name != run.sides[1].name) return core::Ok();
  return core::Error{"bad_arguments",
                     fmt::format("--env: two files are called '{}'", run.sides[0].name)};
}

// Each side as a run. Returns whether the hub has both.
core::Result<bool> SendSides(const SuiteRun& run, const TuneOptions& options, Bench& bench,
                             std::ostream& err) {
  Outbox outbox(bench.spool, bench.hub.get(), {});
  std::map<std::string, std::string> keys;  // by side
  for (const SuiteSide& side : run.sides) {
    const auto key = SpoolSuiteSide(run.families, side, outbox);
    if (!key.ok()) return key.error();
    keys[side.name] = *key;
  }
  const bool sent = outbox.Drain(options.online.retry);
  for (const std::string& message : outbox.messages()) err << message << '\n';
  if (!sent) err << "times wait in the spool: " << outbox.last_error() << '\n';
  for (const auto& [side, key] : keys) {
    if (const std::string id = outbox.RunId(key); !id.empty())
      err << fmt::format("{}: run {} of the hub\n", side, id);
  }
  return sent && outbox.refused() == 0;
}

}  // namespace

void AddSuiteOptions(cli::CommandLine& line, SuiteOptions& suite) {
  suite.timing = kByDriver;
  const auto of = line.Add("--suite", suite.suite,
                           "AITER's Triton benches on a suite's shapes, in two environments: a "
                           "name such as batched_gemm, or a JSON file; -o is a folder");
  line.Add("--env", suite.environments,
           "of a suite: a JSON file of facts, golden first, then the new one; 'python' is the "
           "interpreter, and facts in capitals are its variables")
      .Needs(of);
  line.Add("--timing", suite.timing, "of a suite: by the benches, or by traces of rocprofv3")
      .OneOf({kByDriver, kByProfiler})
      .Needs(of)
      .ShowDefault();
  line.AddFlag("--fail-on-regress", suite.fail_on_regress,
               "of a suite: exit with 1 where a shape is slower or vanished")
      .Needs(of);
}

int BenchSuite(const SuiteOptions& suite, const TuneOptions& options, Console& console) {
  if (const auto status = CheckSuiteOptions(suite, options); !status.ok())
    return Fail(console, "bench", status.error());
  TuneOptions by_scripts = options;
  by_scripts.tuner = kAiter;
  auto bench = OpenBench(by_scripts);
  if (!bench.ok()) return Fail(console, "bench", bench.error());
  auto cases = LoadSuite(bench->configuration.suites, suite.suite);
  if (!cases.ok()) return Fail(console, "bench", cases.error());
  SuiteRun run{bench->configuration.families, *std::move(cases)};
  run.folder = options.output;
  run.by_trace = suite.timing == kByProfiler;
  const bool limited = options.IsGiven("--candidate-timeout");
  run.limit = std::chrono::seconds(limited ? options.timeout_s : kLimitSeconds);
  if (const auto status = OpenSuite(suite, options, *bench, run); !status.ok())
    return Fail(console, "bench", status.error());
  run.stop = core::CatchStopSignals();
  const auto failed = RunSuite(run, console.err);
  if (!failed.ok()) return Fail(console, "bench", failed.error());
  console.err << fmt::format("{} of {} shapes failed; what the benches said: {}\n", *failed,
                             run.cases.size(), (run.folder / "suite.log").string());
  const auto sent = bench->hub ? SendSides(run, options, *bench, console.err) : true;
  if (!sent.ok()) return Fail(console, "bench", sent.error());
  CompareOptions compare;
  compare.files = {run.sides[0].file.string(), run.sides[1].file.string(), "", "us"};
  compare.configs = options.configs;
  compare.fail_on_regress = suite.fail_on_regress;
  compare.json = options.json;
  const int code = CompareFiles(compare, console);
  return code == kGood && (*failed > 0 || !*sent) ? kFinding : code;
}

}  // namespace tunehub::agent::tuning
