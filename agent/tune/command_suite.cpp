#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <ostream>
#include <system_error>

#include "agent/aiter/private_tree.h"
#include "agent/base/command.h"
#include "agent/device/this_device.h"
#include "agent/hub/outbox.h"
#include "agent/search/tuning_bench.h"
#include "agent/tune/commands.h"
#include "agent/tune/shape_rows.h"
#include "core/analysis/statistics.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// Measures each shape in both environments before the next shape, so that a drift of the clock
// affects both environments equally.
struct SuiteRun {
  const core::Families& families;
  std::vector<SuiteCase> cases;
  std::array<SuiteSide, 2> sides = {};
  std::filesystem::path aiter = {};   // AITER's root
  std::filesystem::path folder = {};  // has the log and the benches' files
  core::Fd lock = {};                 // locks `folder`, so that two suites do not mix their times
  bool by_trace = false;              // times come from rocprofv3, not from the bench
  std::chrono::seconds limit{0};      // for one run of a bench; 0: no limit
  std::function<bool()> stop = [] { return false; };
};

// With -o rocprofv3 makes no folder for each host and process below -d.
constexpr const char* kProfiler[] = {
    "rocprofv3", "--kernel-trace", "--stats", "--output-format", "csv", "-o", "suite", "-d"};
// Errors that would also stop every later shape.
constexpr std::string_view kFatal[] = {"stopped", "child_unstartable", "file_unwritable"};

fs::path WorkOf(const SuiteRun& run) {
  return fs::absolute(run.folder) / "work";
}

core::ChildCommand CommandOf(const SuiteRun& run, const SuiteCase& of, const SuiteSide& side) {
  core::ChildCommand command{{}, side.variables, WorkOf(run), run.folder / "suite.log"};
  auto& arguments = command.arguments;
  if (run.by_trace) {
    arguments.assign(std::begin(kProfiler), std::end(kProfiler));
    arguments.insert(arguments.end(), {command.folder.string(), "--"});
  }
  arguments.insert(arguments.end(),
                   {side.python, FindScript(run.aiter, of.script).string(), "--shape"});
  for (const auto size : of.shape) arguments.push_back(std::to_string(size));
  arguments.insert(arguments.end(), {"--metric", "time", "-o"});
  return command;
}

// Returns the run's only file whose name ends with `end`. Returns nothing if there is no such file,
// or several.
std::optional<fs::path> Written(const SuiteRun& run, std::string_view end) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& it : fs::directory_iterator(WorkOf(run), error)) {
    if (it.path().string().ends_with(end)) found.push_back(it.path());
  }
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

core::Result<double> TimeIn(const SuiteRun& run, const SuiteCase& of, const std::string& file) {
  if (run.by_trace) {
    const auto traced = ReadTrace(file, of.kernel);
    if (!traced.ok()) return traced.error();
    return traced->us;
  }
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  const auto read = ReadShapeRows(run.families, file, bytes->view(), "ms");
  if (!read.ok()) return read.error();
  const auto& timings = read->side.timings();
  if (timings.size() == 1 && timings[0].runs.size() == 1 && timings[0].key.columns == "B,M,N,K" &&
      fmt::format("{},{}", of.kernel, timings[0].key.cells) == of.key) {
    return timings[0].runs[0];
  }
  return core::Error{"no_time", file + ": expected exactly one time, for this shape"};
}

core::Result<double> Measure(const SuiteRun& run, const SuiteCase& of, const SuiteSide& side) {
  std::error_code error;
  fs::remove_all(WorkOf(run), error);
  if (auto made = core::MakeFolder(WorkOf(run)); !made.ok()) return made.error();
  std::string last;
  core::ChildLimits limits;
  limits.whole = run.limit;
  const auto end = core::RunChild(
      CommandOf(run, of, side), limits,
      [&](std::string_view line) { last = core::PlainText(core::Excerpt(line, 200)); }, run.stop);
  if (!end.ok()) return end.error();
  if (end->why == core::ChildEnd::Why::kStopped)
    return core::Error{"stopped", "stopped; the same command continues from here"};
  if (!end->succeeded()) return core::Error{"bench_failed", end->Text() + ": " + last};
  const auto file = Written(run, run.by_trace ? "_kernel_stats.csv" : ".csv");
  if (!file) return core::Error{"no_time", "the bench wrote no times: " + last};
  return TimeIn(run, of, file->string());
}

// Measures a shape in both environments. Returns true if both environments now have its times.
core::Result<bool> RunCase(SuiteRun& run, std::size_t index, std::ostream& err) {
  const SuiteCase& it = run.cases[index];
  std::vector<double> runs[2];
  bool wanted[2], whole = true;
  for (std::size_t i = 0; i < 2; ++i) wanted[i] = !run.sides[i].us.contains(it.key);
  for (std::size_t turn = 0; turn < 2 * analysis::kMostRuns; ++turn) {
    // The environment that begins alternates between shapes, and between runs of a shape.
    const std::size_t i = (index + turn / 2 + turn) % 2;
    if (!wanted[i]) continue;
    const auto us = Measure(run, it, run.sides[i]);
    if (us.ok()) {
      runs[i].push_back(*us);
      wanted[i] = runs[i].size() < analysis::kEnoughRuns || !analysis::Settle(runs[i])->stable;
      continue;
    }
    const core::Error& error = us.error();
    if (std::ranges::find(kFatal, error.code) != std::end(kFatal)) return error;
    err << fmt::format("tunehub-agent bench: {} in {}: {} ({})\n", it.key, run.sides[i].name,
                       error.detail, error.code);
    runs[i].clear();
    wanted[i] = whole = false;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (runs[i].empty()) continue;
    err << fmt::format("{}/{} {} in {}: {:.2f} us\n", index + 1, run.cases.size(), it.key,
                       run.sides[i].name, analysis::Settle(runs[i])->us);
    run.sides[i].us[it.key] = std::move(runs[i]);
    if (const auto saved = run.sides[i].Save(); !saved.ok()) return saved.error();
  }
  return whole;
}

// Runs each shape three times per environment, or five times if the times disagree. Saves completed
// shapes at once, and prints failed shapes on `err`. Returns the number of failed shapes. Errors:
// stopped, child_unstartable, file_unwritable.
core::Result<std::size_t> RunSuite(SuiteRun& run, std::ostream& err) {
  // Writes first, to find a folder that cannot be written before hours of measuring.
  for (const SuiteSide& side : run.sides) {
    if (const auto saved = side.Save(); !saved.ok()) return saved.error();
  }
  std::size_t failed = 0;
  for (std::size_t i = 0; i < run.cases.size(); ++i) {
    const auto whole = RunCase(run, i, err);
    if (!whole.ok()) return whole.error();
    failed += *whole ? 0 : 1;
  }
  std::error_code error;
  fs::remove_all(WorkOf(run), error);
  return failed;
}

constexpr char kByDriver[] = "driver", kByProfiler[] = "rocprofv3";
constexpr std::string_view kSuiteHeeds[] = {"--suite",  "--env",
                                            "--timing", "--fail-on-regress",
                                            "--output", "--aiter",
                                            "--json",   "--configs",
                                            "--hub",    "--key",
                                            "--ca",     "--tries",
                                            "--spool",  "--request-timeout",
                                            "--device", "--candidate-timeout",
                                            "--verbose"};
constexpr int kLimitSeconds = 1800;  // AITER's tuners have the same limit for a task

core::Status CheckSuiteOptions(const SuiteOptions& suite, const TuneOptions& options) {
  for (const std::string& option : options.given) {
    if (std::ranges::find(kSuiteHeeds, option) == std::end(kSuiteHeeds))
      return core::Error{"bad_arguments", option + ": a suite does not support it"};
  }
  if (suite.environments.size() == 2 && !options.output.empty()) return core::Ok();
  return core::Error{"bad_arguments", "--suite: needs -o FOLDER, and --env twice: golden and new"};
}

// Returns facts about the GPU and the timing. If the driver lists no GPU, returns only the timing.
analysis::Environment FactsOfHost(const SuiteOptions& suite, const Bench& bench) {
  analysis::Environment facts{{"timing", suite.timing}};
  for (const std::string& it : DeviceMembers(bench.device, bench.configuration.targets.devices()))
    facts[it.substr(0, it.find('='))] = it.substr(it.find('=') + 1);
  return facts;
}

// Finds errors in the options before anything runs, and opens both environments.
core::Status OpenSuite(const SuiteOptions& suite, const TuneOptions& options, const Bench& bench,
                       SuiteRun& run) {
  const auto aiter = FindAiter(options.aiter, "python3");
  if (!aiter.ok()) return aiter.error();
  run.aiter = *aiter;
  for (const SuiteCase& it : run.cases) {
    if (FindScript(run.aiter, it.script).empty())
      return core::Error{"unknown_kernel",
                         fmt::format("{}: kernel '{}': found no {} in {}", suite.suite, it.kernel,
                                     it.script, run.aiter.string())};
  }
  if (auto made = core::MakeFolder(run.folder); !made.ok()) return made;
  run.lock = core::Fd(::open(run.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!run.lock.ok()) return core::Unwritable(run.folder, errno);
  if (::flock(run.lock.get(), LOCK_EX | LOCK_NB) != 0)
    return core::Error{"busy",
                       run.folder.string() + ": another run of `bench --suite` uses this folder"};
  for (std::size_t i = 0; i < 2; ++i) {
    auto side = OpenSuiteSide(run.families, suite.environments[i], run.folder, run.aiter,
                              FactsOfHost(suite, bench));
    if (!side.ok()) return side.error();
    if (bench.hub && !(side->facts.contains("gfx") && side->facts.contains("cu_num")))
      return core::Error{
          "no_device",
          fmt::format("{}: add gfx and cu_num, which a hub needs, because the driver lists no GPU",
                      suite.environments[i])};
    run.sides[i] = *std::move(side);
  }
  if (run.sides[0].name != run.sides[1].name) return core::Ok();
  return core::Error{"bad_arguments",
                     fmt::format("--env: both files are named '{}'; expected two different names",
                                 run.sides[0].name)};
}

// Sends the times of each environment as a run. Returns true if the hub has both runs.
core::Result<bool> SendSides(const SuiteRun& run, const TuneOptions& options, Bench& bench,
                             std::ostream& err) {
  Outbox outbox(bench.spool, bench.hub.get(), {});
  std::map<std::string, std::string> keys;  // run keys by environment
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
                           "run AITER's Triton benches on a suite's shapes, in two environments: a "
                           "name such as batched_gemm, or a JSON file; -o is a folder");
  line.Add("--env", suite.environments,
           "with --suite, given twice: a JSON file of facts about an environment, first of the "
           "golden environment (the baseline), then of the new one. The fact 'python' is the "
           "interpreter; facts in capitals become environment variables")
      .Needs(of);
  line.Add("--timing", suite.timing,
           "with --suite: take the times from the benches (driver) or from rocprofv3's traces")
      .OneOf({kByDriver, kByProfiler})
      .Needs(of)
      .ShowDefault();
  line.AddFlag("--fail-on-regress", suite.fail_on_regress,
               "with --suite: exit with 1 if a shape is slower or missing")
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
  console.err << fmt::format("{} of {} shapes failed; the benches' output: {}\n", *failed,
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

}  // namespace tunehub::agent
