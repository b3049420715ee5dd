#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "agent/aiter/private_tree.h"
#include "agent/commands/tuning/kernel_trace.h"
#include "agent/commands/tuning/shape_rows.h"
#include "agent/commands/tuning/suite.h"
#include "core/analysis/settle.h"
#include "core/base/excerpt.h"
#include "core/base/plain_text.h"
#include "core/system/atomic_file.h"
#include "core/system/child_process.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuning {
namespace {

namespace fs = std::filesystem;

// With -o it makes no folders of hosts and processes below -d.
constexpr const char* kProfiler[] = {
    "rocprofv3", "--kernel-trace", "--stats", "--output-format", "csv", "-o", "suite", "-d"};
// They would meet every shape.
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

// The one file of the run with this end; of several, which it is would be a guess.
std::optional<fs::path> Written(const SuiteRun& run, std::string_view end) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& it : fs::directory_iterator(WorkOf(run), error)) {
    if (it.path().string().ends_with(end)) found.push_back(it.path());
  }
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

core::Result<double> TimeIn(const SuiteRun& run, const SuiteCase& of, const std::string& file) {
  const auto bytes = core::FileBytes::Read(file);
  if (!bytes.ok()) return bytes.error();
  if (run.by_trace) {
    const auto traced = ReadTrace(file, bytes->view(), of.kernel);
    if (!traced.ok()) return traced.error();
    return traced->us;
  }
  const auto read = ReadShapeRows(run.families, file, bytes->view(), "ms");
  if (!read.ok()) return read.error();
  const auto& timings = read->side.timings();
  if (timings.size() == 1 && timings[0].runs.size() == 1 && timings[0].key.columns == "B,M,N,K" &&
      fmt::format("{},{}", of.kernel, timings[0].key.cells) == of.key) {
    return timings[0].runs[0];
  }
  return core::Error{"no_time", file + ": holds not one time of this shape alone"};
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
    return core::Error{"stopped", "stopped; the same command goes on from here"};
  if (!end->succeeded()) return core::Error{"bench_failed", end->Text() + ": " + last};
  const auto file = Written(run, run.by_trace ? "_kernel_stats.csv" : ".csv");
  if (!file) return core::Error{"no_time", "it wrote no times: " + last};
  return TimeIn(run, of, file->string());
}

// Whether each side has the shape now.
core::Result<bool> RunCase(SuiteRun& run, std::size_t index, std::ostream& err) {
  const SuiteCase& it = run.cases[index];
  std::vector<double> runs[2];
  bool wanted[2], whole = true;
  for (std::size_t i = 0; i < 2; ++i) wanted[i] = !run.sides[i].us.contains(it.key);
  for (std::size_t turn = 0; turn < 2 * analysis::kMostRuns; ++turn) {
    // The side that begins is another for each shape, and for each of its runs.
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

}  // namespace

core::Result<std::size_t> RunSuite(SuiteRun& run, std::ostream& err) {
  // Before hours of measuring: a folder that cannot be written.
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

}  // namespace tunehub::agent::tuning
