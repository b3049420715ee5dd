#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>

#include "agent/aiter/build_scan.h"
#include "agent/aiter/untuned_table.h"
#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/capture/commands.h"
#include "agent/capture/explanation.h"
#include "agent/hub/http_client.h"

namespace tunehub::agent {
namespace {

// --gfx with its default CU count. Errors: bad_gfx, bad_cu_num.
core::Result<core::Target> AskedTarget(const Configuration& configuration,
                                       const CaptureOptions& log) {
  if (log.gfx.empty() && log.cu_num == 0) return core::Target{};
  if (log.gfx.empty()) {
    return core::Error{"bad_gfx", fmt::format("--cu-num {}: also pass --gfx", log.cu_num)};
  }
  const core::Targets& targets = configuration.targets;
  return core::TargetToLookUp(targets, core::KnownTarget(targets, log.gfx, log.cu_num), true);
}

core::Result<Explanation> ReadLogs(const Configuration& configuration,
                                   const ExplainOptions& options) {
  auto asked = AskedTarget(configuration, options.log);
  if (!asked.ok()) return asked.error();
  CaptureOptions log = options.log;
  log.output.clear();  // the command writes tables later, only for shapes without a row
  log.gfx.clear();     // the command uses the target later, for lines that name no target
  log.cu_num = 0;
  std::vector<core::MissShape> shapes;
  std::vector<core::MissedFile> files;
  Explanation explanation;
  const CaptureSink sink{[&](core::MissLog& read, bool) -> core::Status {
    shapes = core::AllMissShapes(configuration.families, configuration.targets, read.Shapes(), {});
    files = read.Files();
    explanation.used = read.OtherFiles();
    explanation.remarks = read.Remarks();
    return core::Ok();
  }};
  std::ostringstream unused;
  Console silent{unused, unused};
  const auto counts = Capture(configuration, log, sink, silent);
  if (!counts.ok()) return counts.error();
  explanation.counts = *counts;
  explanation.target = TargetOfLog(*asked, shapes, options.log.device_root);
  explanation.parts =
      PartsOf(configuration.targets, WithTarget(std::move(shapes), explanation.target.target));
  for (core::MissedFile& file : files) explanation.files.push_back({std::move(file), {}});
  return explanation;
}

core::Status LookForFiles(const Configuration& configuration, Explanation& explanation,
                          RowSource& source) {
  // Files of several devices and Triton versions share one query.
  std::map<std::pair<const core::Family*, Parameters>, std::vector<std::string>> known;
  for (ExplainedFile& file : explanation.files) {
    const core::Family* const family = configuration.families.Find(file.miss.file.family);
    if (family == nullptr) continue;
    const auto [lines, is_new] = known.try_emplace({family, SharedKey(*family, file.miss.file)});
    if (is_new) {
      auto found = source.LinesLike(*family, lines->first.second);
      if (!found.ok()) return found.error();
      lines->second = *std::move(found);
    }
    file.matches = MatchesOf(*family, configuration.targets, file.miss.file, lines->second);
  }
  return core::Ok();
}

core::Status LookForRows(const Configuration& configuration, Explanation& explanation,
                         RowSource& source, const core::Manifest* build) {
  explanation.rows_from = source.Name();
  if (auto looked = LookForFiles(configuration, explanation, source); !looked.ok()) return looked;
  for (FamilyPart& part : explanation.parts) {
    const auto rows = source.Read(*part.family, part.target);
    if (!rows.ok()) return rows.error();
    LookUpRows(part, *rows, build);
  }
  explanation.rows_from = source.Name();  // the reads may have changed it
  return core::Ok();
}

// Writes untuned tables of the shapes without a row. If no rows were looked up, writes all shapes.
core::Status WriteUntuned(const Explanation& explanation, const std::string& folder) {
  std::vector<core::MissShape> untuned;
  for (const FamilyPart& part : explanation.parts) {
    for (core::MissShape& shape : Untuned(part)) untuned.push_back(std::move(shape));
  }
  return WriteUntunedTables(folder, UntunedTables(untuned, false));
}

void Report(const Configuration& configuration, const ExplainOptions& options,
            const Explanation& explanation, bool takes_demand, Console& console) {
  const StepContext context{options.log.logs,   options.hub,       takes_demand,
                            options.tables,     options.aiter,     options.log.output,
                            options.log.family, options.log.device};
  std::vector<NextStep> steps = FileSteps(configuration, explanation, context);
  for (NextStep& step : NextSteps(configuration, explanation, context))
    steps.push_back(std::move(step));
  if (options.log.json) {
    console.out << ExplanationJson(explanation, steps).dump(2) << '\n';
  } else {
    PrintExplanation(console.out, configuration, options.log.logs, explanation, steps, options.all);
  }
}

// Only few tries, since the user waits: explain fails within seconds if the hub is unreachable.
constexpr int kExplainTries = 2;

int ExplainWithHub(const Configuration& configuration, ExplainOptions& options,
                   const OnlineOptions& online, Console& console) {
  auto hub = Connect(online);
  if (!hub.ok()) return Fail(console, "explain", hub.error());
  options.hub = online.hub;
  const Pauses pauses = Pauses::Real();
  const auto source = RowsOfHub(configuration, online.hub, **hub, online.retry, pauses);
  return Explain(configuration, options, source.get(), console);
}

}  // namespace

int Explain(const Configuration& configuration, const ExplainOptions& options, RowSource* source,
            Console& console) {
  std::optional<BuildScan> scan;
  if (!options.aiter.empty()) {
    auto scanned = ScanBuild(configuration, {options.aiter, std::nullopt, {}});
    if (!scanned.ok()) return Fail(console, "explain", scanned.error());
    scan = *std::move(scanned);
  }
  auto explanation = ReadLogs(configuration, options);
  if (!explanation.ok()) return Fail(console, "explain", explanation.error());
  if (source != nullptr) {
    const auto looked =
        LookForRows(configuration, *explanation, *source, scan ? &scan->manifest : nullptr);
    if (!looked.ok()) explanation->error = looked.error();
  }
  if (!options.log.output.empty() && !explanation->error) {
    const auto written = WriteUntuned(*explanation, options.log.output);
    if (!written.ok()) return Fail(console, "explain", written.error());
  }
  const bool takes_demand = source != nullptr && source->TakesDemand();
  Report(configuration, options, *explanation, takes_demand, console);
  if (explanation->error) {
    console.out.flush();
    return Fail(console, "explain", *explanation->error);
  }
  const bool found = explanation->counts.misses > 0 || HasFindings(explanation->counts);
  return found ? kFinding : kGood;
}

int RunExplain(int argc, char** argv, Console& console) {
  ExplainOptions options;
  OnlineOptions online;
  online.retry.tries = kExplainTries;
  std::string configs;
  cli::CommandLine line(
      "Reads from a log the shapes and files that an engine did not find, and lists the tuned rows "
      "for them. Prints what these rows need to run, and the next commands.",
      "tunehub-agent explain");
  line.Add("LOG", options.log.logs, "logs of vLLM, SGLang or AITER, also gzip; - reads a pipe")
      .Required();
  line.Add(
      "--tables", options.tables,
      "look for rows in these tuned tables, folders of tables, or folders of a reader's files");
  AddOnlineOptions(line, online);
  line.Add("--aiter", options.aiter,
           "an AITER checkout or installed package: its build decides which rows run; without "
           "--tables and --hub, explain also looks for rows in its tables");
  AddLogOptions(line, options.log, configs);
  line.Add("-o,--output", options.log.output,
           "write the shapes that have no row to this folder, as untuned tables");
  line.AddFlag("--all", options.all, "list all shapes, not only the most frequent groups");
  line.AddFlag("--json", options.log.json, "print the report as JSON");
  if (const auto code = ParseArguments(line, argc, argv, console)) return *code;
  if (!options.tables.empty() && AsksForHub(argc, argv, online, true)) {
    return Fail(
        console, "explain",
        {"two_sources", "give either --tables or --hub: explain looks for rows in one place"});
  }
  auto configuration = LoadConfiguration(configs);
  if (!configuration.ok()) return Fail(console, "explain", configuration.error());
  const bool names_files = !options.tables.empty() || !options.aiter.empty();
  if (AsksForHub(argc, argv, online, names_files)) {
    return ExplainWithHub(*configuration, options, online, console);
  }
  std::vector<std::string> paths = options.tables;
  if (paths.empty() && !options.aiter.empty()) paths.push_back(options.aiter);
  if (paths.empty()) return Explain(*configuration, options, nullptr, console);
  auto source = RowsOfTables(*configuration, paths);
  if (!source.ok()) return Fail(console, "explain", source.error());
  return Explain(*configuration, options, source->get(), console);
}

}  // namespace tunehub::agent
