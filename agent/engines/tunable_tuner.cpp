#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "agent/engines/engine_run.h"
#include "agent_tunable_driver.h"
#include "core/base/file.h"
#include "core/readers/tunable_file.h"
#include "core/row/cell.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDriver = "tunehub: ";
constexpr std::string_view kNotOffline = "Offline tuning is not support";  // or "supported"

// Moves `text` after `mark`. Returns false if `mark` is missing.
bool SkipTo(std::string_view& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + mark.size());
  return true;
}

bool TakeWord(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// "finding fastest for GemmTunableOp_float_NN(nn_50_33_64_ld_50_70_50) out of 2 candidates"
bool ReadShape(std::string_view line, core::TunableShape& shape) {
  if (!SkipTo(line, "finding fastest for ")) return false;
  const std::size_t begin = line.find('('), end = line.find(") out of ");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return false;
  shape.op = line.substr(0, begin);
  shape.params = line.substr(begin + 1, end - begin - 1);
  return core::WhyNotAsked(shape).empty();
}

// "found better instance id=0. 0.0167136ms. Default min 0.007584 max ..."
bool ReadTime(std::string_view line, std::string& solution, std::string& ms) {
  if (!SkipTo(line, " instance id=") || !SkipTo(line, ". ")) return false;
  const std::size_t unit = line.find("ms. ");
  if (unit == std::string_view::npos) return false;
  ms = line.substr(0, unit);
  line.remove_prefix(unit + 4);
  solution = line.substr(0, line.find(' '));
  return !solution.empty() && !core::MicrosecondsOf(std::string_view(ms)).empty();
}

// Reads the solution of "2nd skip slow instance id=1, OP(PARAMS) Gemm_Rocblas_3", a short try.
bool ReadTried(std::string_view line, std::string& solution) {
  if (!SkipTo(line, " id=")) return false;
  const std::size_t end = line.rfind(") ");
  if (end == std::string_view::npos) return false;
  solution = line.substr(end + 2);
  return !solution.empty();
}

bool IsLess(const std::string& a, const std::string& b) {
  const auto left = core::ParseNumber(a), right = core::ParseNumber(b);
  return left && right && *left < *right;
}

constexpr const char* kResults = "results.csv";  // PyTorch adds the device's number to this name
constexpr int kMostDevices = 1024;
// The most starts after crashes. Each crash loses one shape, and a minute for imports.
constexpr int kMostCrashes = 20;

// Overrides the user's settings of TunableOp that would make it write to the user's files.
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

core::Result<AiterCommand> CommandOf(const TunableSettings& settings,
                                     const std::vector<core::TunableShape>& shapes,
                                     const fs::path& folder) {
  std::string text;
  for (const core::TunableShape& shape : shapes) {
    const std::string why = core::WhyNotAsked(shape);
    if (!why.empty()) return core::Error{"not_asked", fmt::format("'{}': {}", shape.op, why)};
    text += shape.op + "," + shape.params + "\n";
  }
  const fs::path script = folder / "tunable_driver.py", untuned = folder / "untuned.csv";
  auto written = core::WriteAtomically(script, kTunableDriver);
  if (written.ok()) written = core::WriteAtomically(untuned, text);
  if (!written.ok()) return written.error();
  AiterCommand command;
  command.arguments = {settings.python, script.string(), untuned.string(),
                       (folder / "tried.csv").string(), (folder / "one.csv").string()};
  command.environment = EnvironmentOf(settings, folder);
  command.folder = folder;
  command.log = fs::absolute(settings.logs) / fmt::format("tunableop_{}.log", Stamp());
  command.whose = "PyTorch's TunableOp";
  command.most_starts = kMostCrashes;
  return command;
}

// Returns the results file, whose name contains PyTorch's device number.
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

  // Adds every candidate with a time, and the winner even if the log lacks it.
  void Add(const core::TunableRow& winner) {
    TunableCandidates candidates;
    if (const auto found = log_.candidates().find(winner.shape); found != log_.candidates().end()) {
      candidates = found->second;
    }
    candidates.ms[winner.solution] = winner.ms;
    candidates.tried.insert(winner.solution);
    // If only Default can run, there was no search.
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
            const std::vector<core::TunableShape>& shapes, ScriptReport& report) {
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

void TunableLog::AddDriver(std::string_view text) {
  if (TakeWord(text, "device ")) {
    device_ = text;
  } else if (TakeWord(text, "torch ")) {
    version_ = text;
  } else if (TakeWord(text, "tuning ")) {
    ++begun_;
    open_ = nullptr;
  } else if (TakeWord(text, "failed ")) {
    failures_.emplace_back(text);
    open_ = nullptr;
  }
}

void TunableLog::Add(std::string_view line) {
  if (TakeWord(line, kDriver)) return AddDriver(line);
  // "Offline tuning is not supported for this GEMM. ... Skipped tuning for: tn_7168_1_2048_...".
  if (const std::size_t at = line.find(kNotOffline); at != std::string_view::npos) {
    failures_.emplace_back(line.substr(at));
    return;
  }
  core::TunableShape shape;
  if (ReadShape(line, shape)) {
    open_ = &candidates_[shape];
    return;
  }
  if (open_ == nullptr) return;
  std::string solution, ms;
  if (ReadTime(line, solution, ms)) {
    open_->tried.insert(solution);
    const auto [place, added] = open_->ms.try_emplace(solution, ms);
    if (!added && IsLess(ms, place->second)) place->second = ms;
  } else if (ReadTried(line, solution)) {
    open_->tried.insert(solution);
  }
}

core::Result<EngineRun> TuneTunable(const TunableSettings& settings,
                                    const std::vector<core::TunableShape>& shapes,
                                    const EngineObserver& observer) {
  if (shapes.empty()) return core::Error{"no_shapes", "no shape was given to tune"};
  const auto folder = FreshFolder(fs::absolute(settings.work), "tunableop");
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
  const auto ended = RunScript(*command, settings, observer, line, run.report);
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

}  // namespace tunehub::agent
