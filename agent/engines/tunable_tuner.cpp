#include "agent/engines/tunable_tuner.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "agent/engines/tunable_log.h"
#include "agent_tunable_driver.h"
#include "core/readers/tunable_file.h"
#include "core/readers/tunable_path.h"
#include "core/row/tunable_time.h"
#include "core/system/atomic_file.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::engines {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResults = "results.csv";  // as PyTorch is told; it puts a number in
constexpr int kMostDevices = 1024;
// Starts after a crash: each costs the shape that it crashed in, and a minute of imports.
constexpr int kMostCrashes = 20;

std::string UntunedText(const std::vector<core::TunableShape>& shapes) {
  std::string text;
  for (const core::TunableShape& shape : shapes) text += shape.op + "," + shape.params + "\n";
  return text;
}

// The user's own settings of TunableOp count, but for these: a file of theirs would be written to.
std::map<std::string, std::string> EnvironmentOf(const TunableSettings& settings,
                                                 const fs::path& folder) {
  auto environment = settings.environment;
  environment["PYTORCH_TUNABLEOP_ENABLED"] = "1";
  environment["PYTORCH_TUNABLEOP_TUNING"] = "1";
  environment["PYTORCH_TUNABLEOP_RECORD_UNTUNED"] = "0";
  environment["PYTORCH_TUNABLEOP_VERBOSE"] = "3";
  environment["PYTORCH_TUNABLEOP_VERBOSE_FILENAME"] = "err";
  environment["PYTORCH_TUNABLEOP_FILENAME"] = (folder / kResults).string();
  environment["PYTHONUNBUFFERED"] = "1";
  const auto number = [&](const char* name, const std::optional<int>& value) {
    if (value) environment[name] = std::to_string(*value);
  };
  number("PYTORCH_TUNABLEOP_MAX_TUNING_ITERATIONS", settings.iters);
  number("PYTORCH_TUNABLEOP_MAX_WARMUP_ITERATIONS", settings.warmup);
  return environment;
}

core::Result<tuners::AiterCommand> CommandOf(const TunableSettings& settings,
                                             const std::vector<core::TunableShape>& shapes,
                                             const fs::path& folder) {
  for (const core::TunableShape& shape : shapes) {
    const std::string why = core::WhyNotAsked(shape);
    if (!why.empty()) return core::Error{"not_asked", fmt::format("'{}': {}", shape.op, why)};
  }
  const fs::path script = folder / "tunable_driver.py", untuned = folder / "untuned.csv";
  const std::pair<fs::path, std::string> files[] = {{script, std::string(kTunableDriver)},
                                                    {untuned, UntunedText(shapes)}};
  for (const auto& [path, text] : files) {
    if (auto written = core::WriteAtomically(path, text); !written.ok()) return written.error();
  }
  tuners::AiterCommand command;
  command.arguments = {settings.python, script.string(), untuned.string(),
                       (folder / "tried.csv").string(), (folder / "one.csv").string()};
  command.environment = EnvironmentOf(settings, folder);
  command.folder = folder;
  command.log = fs::absolute(settings.logs) / fmt::format("tunableop_{}.log", tuners::Stamp());
  command.whose = "PyTorch's TunableOp";
  command.most_starts = kMostCrashes;
  return command;
}

// What PyTorch wrote; it puts its device's number into the name.
std::string ResultsIn(const fs::path& folder) {
  for (int i = 0; i < kMostDevices; ++i) {
    const fs::path file = folder / core::TunableFileName(kResults, i);
    const auto bytes = core::FileBytes::Read(file);
    if (bytes.ok()) return std::string(bytes->view());
  }
  return "";
}

class Rows {
 public:
  Rows(const TunableLog& log, const core::TunableFile& file, EngineRun& run)
      : log_(log), validators_(core::ValidatorsText(file.validators)), run_(run) {}

  // Every candidate with a time; the winner also where the log does not tell of it.
  void Add(const core::TunableRow& winner) {
    TunableCandidates candidates;
    if (const auto found = log_.candidates().find(winner.shape); found != log_.candidates().end()) {
      candidates = found->second;
    }
    candidates.ms[winner.solution] = winner.ms;
    candidates.tried.insert(winner.solution);
    // Where Default alone can run, nothing was chosen.
    const bool searched =
        candidates.tried.size() > 1 || *candidates.tried.begin() != core::kDefaultSolution;
    for (const auto& [solution, ms] : candidates.ms) {
      AddRow(winner, solution, ms, searched);
    }
  }

  std::string Body() const {
    return rows_.empty() ? "" : nlohmann::ordered_json{{"rows", rows_}}.dump();
  }

 private:
  void AddRow(const core::TunableRow& winner, const std::string& solution, const std::string& ms,
              bool searched) {
    const std::string us = core::MicrosecondsOf(std::string_view(ms));
    nlohmann::ordered_json row = {
        {"engine", "rocm"},      {"device", run_.device},         {"validators", validators_},
        {"op", winner.shape.op}, {"params", winner.shape.params}, {"solution", solution}};
    if (!us.empty()) {
      row["us"] = us;
      row["ms"] = ms;
    }
    if (solution == winner.solution && !winner.blas_params.empty()) {
      row["blas_params"] = winner.blas_params;
    }
    if (solution == core::kDefaultSolution) {
      row["is_default"] = true;
      ++run_.defaults;
    }
    if (searched) row["searched"] = true;
    ++(us.empty() ? run_.declared : run_.measured);
    rows_.push_back(std::move(row));
  }

  const TunableLog& log_;
  std::string validators_;
  EngineRun& run_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

void Report(const TunableLog& log, const core::TunableFile& file,
            const std::vector<core::TunableShape>& shapes, tuners::AiterReport& report) {
  std::set<core::TunableShape> missing(shapes.begin(), shapes.end());
  report.shapes = missing.size();
  for (const core::TunableRow& row : file.rows) missing.erase(row.shape);
  report.tuned = report.shapes - missing.size();
  for (const core::TunableShape& shape : missing) {
    report.missing.push_back({shape.op, shape.params});
  }
  report.remarks = log.failures();
  for (const core::TunableIssue& issue : file.issues) {
    report.remarks.push_back(
        fmt::format("results, line {}: {}: {}", issue.line, issue.code, issue.detail));
  }
  for (const auto& [shape, candidates] : log.candidates()) {
    report.candidates += candidates.ms.size();
    report.failed += candidates.tried.size() - candidates.ms.size();
  }
}

}  // namespace

core::Result<EngineRun> TuneTunable(const TunableSettings& settings,
                                    const std::vector<core::TunableShape>& shapes,
                                    const EngineObserver& observer) {
  if (shapes.empty()) return core::Error{"no_shapes", "there is no shape to tune"};
  const auto folder = FreshFolder(settings.work, "tunableop");
  if (!folder.ok()) return folder.error();
  const auto command = CommandOf(settings, shapes, *folder);
  if (!command.ok()) return command.error();
  EngineRun run;
  run.family = "tunableop";
  run.tuner = "PyTorch TunableOp, offline";
  TunableLog log;
  const auto line = [&](std::string_view text) {
    const std::size_t begun = log.begun();
    log.Add(text);
    if (log.begun() != begun) {
      observer.progress(fmt::format("{} of {} shapes", log.begun(), shapes.size()));
    }
  };
  const auto ended = RunEngine(*command, settings, observer, line, run.report);
  if (!ended.ok()) return ended.error();
  const std::string bytes = ResultsIn(*folder);
  const core::TunableFile file = bytes.empty() ? core::TunableFile() : core::ReadTunableFile(bytes);
  run.device = DeviceFileName(log.device());
  if (!log.version().empty()) run.versions.push_back("torch " + log.version());
  Report(log, file, shapes, run.report);
  if (file.rows.empty()) {
    SettleOutcome(run.report);
    return run;
  }
  Rows rows(log, file, run);
  for (const core::TunableRow& row : file.rows) rows.Add(row);
  run.rows = rows.Body();
  const core::TunablePlace place{run.device, core::ValidatorsText(file.validators)};
  run.files[core::TunablePathOf(place)] = core::WriteTunableFile(file.validators, file.rows);
  SettleOutcome(run.report);
  return run;
}

}  // namespace tunehub::agent::engines
