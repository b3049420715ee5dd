#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "agent/base/terminal.h"
#include "agent/engines/aiter_tuner.h"
#include "agent/engines/engine_run.h"
#include "agent/engines/script_command.h"
#include "agent/search/hub_tables.h"
#include "agent/search/tuned_file.h"
#include "agent/search/tuning_bench.h"
#include "agent/tune/commands.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/row/tunable_line.h"

namespace tunehub::agent {
namespace {

constexpr std::size_t kMostAsked = 50;  // the most requests to the hub for baselines of shapes

// Stop signals end the script. Notes go to stderr.
void Listen(const TuneOptions& options, ScriptObserver& observer) {
  observer.stop = options.search.stop ? options.search.stop : core::CatchStopSignals();
  observer.note = [](const std::string& text) {
    std::fprintf(NotesFile(), "tunehub-agent: %s\n", text.c_str());
  };
}

int ExitCode(const ScriptReport& report) {
  if (report.outcome == ScriptOutcome::kComplete) return kGood;
  return report.tuned > 0 ? kFinding : kFailed;
}

AiterObserver ObserverFor(const TuneOptions& options) {
  AiterObserver observer;
  Listen(options, observer);
  // Prints the script's output as it comes; the script's log has the same lines.
  observer.line = [](std::string_view text) {
    std::fprintf(NotesFile(), "%s\n", core::PlainText(text).c_str());
  };
  observer.progress = [eta = Eta()](const AiterProgress& progress) mutable {
    eta.Done(progress.percent, 100);
    std::fprintf(NotesFile(), "tunehub-agent: batch %d of %d, %.1f %% tuned%s\n",
                 progress.batches_done, progress.batches, progress.percent, eta.Text().c_str());
  };
  return observer;
}

// Writes the files of --profile-file and -o.
core::Status WriteFiles(const TuneOptions& options, const core::Family& family,
                        const core::Targets& targets, const AiterRun& run) {
  if (!options.profile.empty() && !run.candidates_csv.empty()) {
    if (auto status = core::WriteAtomically(options.profile, run.candidates_csv); !status.ok()) {
      return status;
    }
  }
  if (options.output.empty() || run.tuned_csv.empty()) return core::Ok();
  auto file = TunedFile::Open(family, targets, options.output);
  if (!file.ok()) return file.error();
  return file->PutTable(run.tuned_csv);
}

// Returns a summary in one line, with the path of the script's log.
std::string SummaryLine(const ScriptReport& report, const char* done) {
  return fmt::format("{} of {} shapes {} ({}, {}); log: {}", report.tuned, report.shapes, done,
                     Name(report.outcome), report.ended, report.files.front().string());
}

// Sends the outbox to the hub. Returns `code`. Returns kFinding instead of kGood if something was
// not sent.
int Deliver(const TuneOptions& options, const Bench& bench, Outbox& outbox, int code,
            Console& console) {
  const bool delivered = bench.hub == nullptr || outbox.Drain(options.online.retry);
  for (const std::string& message : outbox.messages()) console.err << message << '\n';
  if (!delivered) console.err << "results wait in the spool: " << outbox.last_error() << '\n';
  return code == kGood && (!delivered || outbox.refused() > 0) ? kFinding : code;
}

// True if the defaults' times are missing at the hub, or, without a hub, in the folder of logs.
bool LacksBaseline(const TuneOptions& options, const TuneInput& input, Bench& bench,
                   const std::string& tuned) {
  const core::Targets& targets = bench.configuration.targets;
  const auto rows = ReadTunedRows(*input.family, targets, tuned);
  if (bench.hub != nullptr && rows.ok()) {
    HubTables tables(*bench.hub, *input.family, targets, options.online.retry);
    const auto asked = std::min(rows->size(), kMostAsked);
    return !std::all_of(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(asked),
                        [&](const TunedRow& it) { return tables.HasDefault(it.target, it.shape); });
  }
  return BaselineLog(options.logs, *input.family).empty();
}

// Prints the next commands: the baseline if it is missing, and the bench after tuning.
void PrintNextSteps(const TuneOptions& options, const TuneInput& input, Bench& bench,
                    const AiterRun& run, std::ostream& out) {
  std::string with = " --tuner aiter --family " + input.family->name;
  if (!options.aiter.empty()) with += " --aiter " + ShellWord(options.aiter);
  if (!options.online.hub.empty()) with += " --hub " + ShellWord(options.online.hub);
  const bool from_file = input.purpose == Purpose::kTune && !options.input.empty();
  if (from_file && run.before.empty() && LacksBaseline(options, input, bench, run.tuned_csv)) {
    out << "no baseline yet; next:\n  tunehub-agent bench --before -i " << ShellWord(options.input)
        << with << '\n';
  }
  if (from_file && !options.output.empty()) {
    out << "next:\n  tunehub-agent bench --after -i " << ShellWord(options.output) << with << '\n';
  }
}

void PrintBench(const ScriptReport& report, const SpooledBench& spooled, const Bench& bench,
                bool json, Console& console) {
  if (json) {
    console.out << ToJson(report).dump() << '\n';
    return;
  }
  console.err << SummaryLine(report, "measured") << "; "
              << (spooled.rows > 0 ? fmt::format("{} times for {}", spooled.rows,
                                                 bench.hub ? "the hub" : "the spool")
                                   : "no times for a hub: " + spooled.why)
              << '\n';
}

struct Opened {
  AiterTuner tuner;
  AiterPlan plan;
};

core::Result<Opened> Open(const TuneOptions& options, const TuneInput& input, const Bench& bench) {
  const core::Status fits = CheckAiterFamily(options, *input.family);
  if (!fits.ok()) return fits.error();
  TuneTask task;
  task.family = input.family;
  task.shapes = input.shapes;
  AiterOptions aiter = AiterOptionsOf(options);
  aiter.work = JournalPath(StateFolder(options), task, "aiter").replace_extension(".aiter");
  auto tuner = AiterTuner::Open(std::move(aiter), bench.configuration.targets);
  if (!tuner.ok()) return tuner.error();
  auto plan = tuner->Plan(*input.family, UntunedRows(*input.family, input.shapes));
  if (!plan.ok()) return plan.error();
  return Opened{*std::move(tuner), *std::move(plan)};
}

AiterContext ContextOf(const Opened& aiter, const TuneOptions& options, const TuneInput& input,
                       const Bench& bench) {
  return {aiter.tuner,
          aiter.plan,
          bench.device,
          bench.configuration.targets,
          options.arguments,
          "",
          LastDefaults(options.logs, *input.family, bench.device.target)};
}

EngineObserver EngineObserverFor(const TuneOptions& options) {
  EngineObserver observer;
  Listen(options, observer);
  if (::isatty(STDERR_FILENO) == 1) {
    observer.progress = [](const std::string& text) {
      std::fprintf(NotesFile(), "\r\033[K%s", text.c_str());
    };
  }
  return observer;
}

// Returns the distinct shapes of an untuned file, which is PyTorch's own file or a table with the
// same two columns.
core::Result<std::vector<core::TunableShape>> ReadTunableShapes(const std::string& file) {
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  std::vector<core::TunableShape> shapes;
  std::set<core::TunableShape> seen;
  std::size_t line = 0;
  const auto bad = [&](const std::string& what) {
    return core::Error{"bad_untuned_file", fmt::format("{}:{}: {}", file, line, what)};
  };
  for (const std::string_view text : core::SplitAfter(bytes->view(), "\n")) {
    ++line;
    if (core::TunableFields(text).empty() || (line == 1 && text.starts_with("op,params"))) continue;
    auto shape = core::ReadUntunedLine(text);
    if (!shape) {
      return bad(
          fmt::format("'{}': expected a TunableOp line, operator,parameters", core::Excerpt(text)));
    }
    if (core::IsPattern(*shape)) return bad(shape->params + " is a pattern, which cannot be timed");
    if (seen.insert(*shape).second) shapes.push_back(*std::move(shape));
  }
  return shapes;
}

core::Result<EngineRun> TuneTunableOp(const TuneOptions& options, const EngineSettings& settings,
                                      const EngineObserver& observer) {
  const auto shapes = ReadTunableShapes(options.input);
  if (!shapes.ok()) return shapes.error();
  TunableSettings tunable{settings, {}, {}};
  if (options.IsGiven("--iters")) tunable.iters = options.search.rounds;
  if (options.IsGiven("--warmup")) tunable.warmup = options.search.warmup;
  return TuneTunable(tunable, *shapes, observer);
}

core::Result<EngineRun> TuneByScript(const TuneOptions& options, const EngineSettings& settings,
                                     const Configuration& configuration,
                                     const EngineObserver& observer) {
  const auto* const script = FindEngineScript(options.tuner, EngineFamily(options));
  const auto read = FileRowsOf(configuration, *script);
  if (!read.ok()) return read.error();
  const TritonSettings triton{settings, options.engine};
  return TuneTriton(triton, *script, EngineWorkOf(options), *read, observer);
}

core::Status WriteFound(const std::string& folder, const EngineRun& run) {
  if (folder.empty()) return core::Ok();
  for (const auto& [path, bytes] : run.files) {
    const std::filesystem::path file = std::filesystem::path(folder) / path;
    if (auto made = core::MakeFolder(file.parent_path()); !made.ok()) return made;
    if (auto written = core::WriteAtomically(file, bytes); !written.ok()) return written;
  }
  return core::Ok();
}

nlohmann::ordered_json ToJson(const EngineRun& run) {
  nlohmann::ordered_json json = ToJson(run.report);
  json["family"] = run.family;
  json["device"] = run.device;
  json["measured"] = run.measured;
  json["declared"] = run.declared;
  json["defaults"] = run.defaults;
  json["versions"] = run.versions;
  json["found"] = nlohmann::ordered_json::array();
  for (const auto& [path, bytes] : run.files) json["found"].push_back(path);
  return json;
}

void Print(const EngineRun& run, bool json, Console& console) {
  if (json) {
    console.out << ToJson(run).dump() << '\n';
    return;
  }
  for (const auto& [path, bytes] : run.files) console.out << path << '\n';
  for (const std::string& remark : run.report.remarks) console.err << remark << '\n';
  console.out << fmt::format(
      "{} of {} tuned ({}, {}); {} rows with a time ({} of them of the default), {} rows without a "
      "time\n",
      run.report.tuned, run.report.shapes, Name(run.report.outcome), run.report.ended, run.measured,
      run.defaults, run.declared);
}

}  // namespace

int TuneByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench,
                Console& console) {
  const auto aiter = Open(options, input, bench);
  if (!aiter.ok()) return Fail(console, "tune", aiter.error());
  AiterContext context = ContextOf(*aiter, options, input, bench);
  const auto new_run = AiterRunOf(context, AiterStep::kTune);
  if (!new_run.ok()) return Fail(console, "tune", new_run.error());
  const auto run = aiter->tuner.Run(aiter->plan, ObserverFor(options));
  if (!run.ok()) return Fail(console, "tune", run.error());
  Outbox outbox(bench.spool, bench.hub.get(), {});
  auto status = core::Ok();
  if (!run->before.empty()) {
    context.defaults = DefaultTimesOf(*input.family, run->before, bench.device.target);
  }
  if (!run->candidates_csv.empty()) {
    status = SpoolCandidates(context, run->candidates_csv, *new_run, outbox);
  }
  if (status.ok() && !run->before.empty()) {
    const auto spooled = SpoolBench(context, run->before, AiterStep::kBenchBefore, "", outbox);
    if (!spooled.ok()) status = spooled.error();
  }
  if (status.ok()) status = WriteFiles(options, *input.family, bench.configuration.targets, *run);
  if (!status.ok()) return Fail(console, "tune", status.error());
  const int code = Deliver(options, bench, outbox, ExitCode(run->report), console);
  if (options.json) {
    console.out << ToJson(run->report).dump() << '\n';
  } else {
    console.out << SummaryLine(run->report, "tuned") << "; " << run->report.candidates
                << " candidates, " << run->report.rejected << " above the error limit\n";
    PrintNextSteps(options, input, bench, *run, console.out);
  }
  return code;
}

int BenchByAiter(const TuneOptions& options, const TuneInput& input, Bench& bench,
                 Console& console) {
  const auto aiter = Open(options, input, bench);
  if (!aiter.ok()) return Fail(console, "bench", aiter.error());
  const auto observer = ObserverFor(options);
  const bool is_after = input.purpose == Purpose::kAfter;
  const AiterStep step = is_after ? AiterStep::kBenchAfter : AiterStep::kBenchBefore;
  const auto measured =
      aiter->tuner.Bench(aiter->plan, step, is_after ? options.input : "", observer);
  if (!measured.ok()) return Fail(console, "bench", measured.error());
  if (!options.output.empty()) {
    const auto status = core::WriteAtomically(options.output, measured->csv);
    if (!status.ok()) return Fail(console, "bench", status.error());
  } else {
    console.out << measured->csv;
  }
  const AiterContext context = ContextOf(*aiter, options, input, bench);
  std::string tuned;
  if (is_after) {
    const auto bytes = core::FileBytes::Read(options.input);
    if (!bytes.ok()) return Fail(console, "bench", bytes.error());
    tuned = bytes->view();
  }
  Outbox outbox(bench.spool, bench.hub.get(), {});
  const auto spooled = SpoolBench(context, measured->timings, step, tuned, outbox);
  if (!spooled.ok()) return Fail(console, "bench", spooled.error());
  const int code = Deliver(options, bench, outbox, ExitCode(measured->report), console);
  PrintBench(measured->report, *spooled, bench, options.json, console);
  return code;
}

int TuneByEngine(const TuneOptions& options, Console& console) {
  auto bench = OpenBench(options);
  if (!bench.ok()) return Fail(console, "tune", bench.error());
  const std::string family = EngineFamily(options);
  if (bench->configuration.families.Find(family) == nullptr) {
    return Fail(console, "tune",
                {"unknown_family", "--configs: its families/ has no family " + family});
  }
  const auto settings = EngineSettingsOf(options, bench->device.kind == "amd");
  const auto observer = EngineObserverFor(options);
  const auto run = options.tuner == kTunableOp
                       ? TuneTunableOp(options, settings, observer)
                       : TuneByScript(options, settings, bench->configuration, observer);
  if (!run.ok()) return Fail(console, "tune", run.error());
  if (auto status = WriteFound(options.output, *run); !status.ok()) {
    return Fail(console, "tune", status.error());
  }
  int code = ExitCode(run->report);
  if (!run->rows.empty()) {
    const auto new_run = EngineRunOf(*run, bench->device, bench->configuration.targets.devices(),
                                     options.arguments, "");
    if (!new_run.ok()) return Fail(console, "tune", new_run.error());
    Outbox outbox(bench->spool, bench->hub.get(), {});
    const auto status = SpoolRows(*run, *new_run, outbox);
    if (!status.ok()) return Fail(console, "tune", status.error());
    code = Deliver(options, *bench, outbox, code, console);
  }
  Print(*run, options.json, console);
  return code;
}

}  // namespace tunehub::agent
