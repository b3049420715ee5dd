#include "agent/aiter/tuners/aiter_tuner.h"

#include <fmt/core.h>

#include <chrono>
#include <set>
#include <system_error>

#include "agent/aiter/python_toolchain.h"
#include "agent/aiter/tuners/aiter_variant.h"
#include "agent/aiter/untuned_table.h"
#include "core/system/atomic_file.h"
#include "core/system/child_process.h"
#include "core/system/file_bytes.h"

namespace tunehub::agent::tuners {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each plan, so that a script never finds rows of another in its output.
core::Result<fs::path> FreshFolder(const fs::path& work, const std::string& family) {
  const std::string name = family + "_" + Stamp();
  for (int i = 0;; ++i) {
    const fs::path folder = work / (i == 0 ? name : fmt::format("{}_{}", name, i));
    std::error_code error;
    if (fs::create_directories(folder, error)) return folder;
    if (error) return core::Unwritable(folder, error);
  }
}

std::string TextOf(const fs::path& file) {
  auto bytes = core::FileBytes::Read(file);
  return bytes.ok() ? std::string(bytes->view()) : std::string();
}

std::string BenchCsv(const core::Family& family, const std::vector<AiterTiming>& timings) {
  core::Family report = family;  // only for its header
  report.untuned_columns.insert(report.untuned_columns.end(), {"us", "status"});
  std::vector<std::vector<std::string>> rows;
  for (const AiterTiming& timing : timings) {
    std::vector<std::string> row = UntunedCells(family, timing.keys);
    row.push_back(timing.us ? std::to_string(*timing.us) : "");
    row.push_back(timing.status);
    rows.push_back(std::move(row));
  }
  return UntunedCsv(report, rows);
}

// ROCm as it is installed, which PyTorch may have been built for another of.
std::vector<std::string> ToolchainOf(const std::string& python) {
  std::vector<std::string> versions = PythonToolchain(python);
  const std::string rocm = RocmVersion();
  if (rocm == kUnknownRocm) return versions;
  std::erase_if(versions, [](const std::string& it) { return it.starts_with("rocm="); });
  versions.push_back("rocm=" + rocm);
  return versions;
}

}  // namespace

core::Result<AiterTuner> AiterTuner::Open(AiterOptions options, const core::Targets& targets) {
  AiterTuner tuner(std::move(options), targets);
  auto root = FindAiter(tuner.options_.root, tuner.options_.python);
  if (!root.ok()) return root.error();
  tuner.root_ = *std::move(root);
  for (const fs::path& folder : {tuner.options_.work, tuner.options_.logs}) {
    if (core::Status made = core::MakeFolder(folder); !made.ok()) return made.error();
  }
  auto home = FreshFolder(fs::absolute(tuner.options_.work), "aiter");
  if (!home.ok()) return home.error();
  tuner.options_.work = *home;
  tuner.options_.logs = fs::absolute(tuner.options_.logs);
  auto jit = JitFolder::Open(tuner.options_.jit, tuner.root_, tuner.options_.python);
  if (!jit.ok()) return jit.error();
  tuner.jit_ = *std::move(jit);
  tuner.toolchain_ = ToolchainOf(tuner.options_.python);
  auto tree = PrivateTree::Make(tuner.root_, *home, tuner.jit_.path());
  if (!tree.ok()) return tree.error();
  tuner.tree_ = *std::move(tree);
  return tuner;
}

core::Result<AiterPlan> AiterTuner::Plan(const core::Family& family,
                                         std::vector<std::vector<std::string>> shapes) const {
  const AiterVariant* const variant = VariantOf(ScriptOf(family, tree_.path()));
  if (variant == nullptr || family.tune_script.empty()) {
    return core::Error{"unsupported_family",
                       (family.tune_script.empty() ? "AITER has no tuner for "
                                                   : "no options are known of the tuner of ") +
                           family.name};
  }
  if (shapes.empty()) return core::Error{"no_shapes", "there is no shape to tune"};
  if (auto checked = CheckUntuned(family, shapes); !checked.ok()) return checked.error();
  auto folder = FreshFolder(options_.work, family.name);
  if (!folder.ok()) return folder.error();
  AiterPlan plan;
  plan.family = &family;
  plan.shapes = std::move(shapes);
  plan.err_ratio = options_.err_ratio.value_or(variant->err_ratio);
  plan.untuned = *folder / family.untuned_file;
  plan.tuned = *folder / family.file;
  plan.profile = *folder / ("profile_" + family.file);
  const core::Status written = core::WriteAtomically(plan.untuned, UntunedCsv(family, plan.shapes));
  if (!written.ok()) return written.error();
  auto command = CommandFor(plan, AiterStep::kTune, {}, tree_, options_);
  if (!command.ok()) return command.error();
  plan.tune = *std::move(command);
  return plan;
}

core::Result<AiterRun> AiterTuner::Run(const AiterPlan& plan, const AiterObserver& observer) const {
  AiterRun run;
  AiterProgress progress;
  AiterReportReader reader;
  const auto line = [&](std::string_view text) {
    if (ReadProgress(text, progress)) observer.progress(progress);
    reader.Add(text);
  };
  core::Status status = RunScript(plan.tune, options_, observer, line, run.report);
  if (!status.ok()) return status.error();
  status = ReadAiterTables(*plan.family, *targets_, plan.err_ratio, plan.shapes, TextOf(plan.tuned),
                           TextOf(plan.profile), run);
  if (!status.ok()) return status.error();
  if (run.report.outcome == AiterOutcome::kComplete && !run.report.missing.empty()) {
    run.report.outcome = AiterOutcome::kPartial;
  }
  for (const AiterTiming& timing : reader.timings()) {
    if (timing.of == AiterReportOf::kDefault) run.before.push_back(timing);
  }
  for (const fs::path& file : {plan.untuned, plan.tuned, plan.profile}) {
    std::error_code error;
    if (fs::exists(file, error)) run.report.files.push_back(file);
  }
  return run;
}

core::Result<AiterBench> AiterTuner::Bench(const AiterPlan& plan, AiterStep step,
                                           const fs::path& run_config,
                                           const AiterObserver& observer) const {
  auto command = CommandFor(plan, step, run_config, tree_, options_);
  if (!command.ok()) return command.error();
  AiterBench bench;
  AiterReportReader reader;
  const core::Status status = RunScript(
      *command, options_, observer, [&](std::string_view text) { reader.Add(text); }, bench.report);
  if (!status.ok()) return status.error();
  bench.timings = reader.timings();
  if (bench.timings.empty() && bench.report.outcome != AiterOutcome::kStopped) {
    return core::Error{"no_report",
                       fmt::format("AITER's script ended with {} and reported no shape; see {}",
                                   bench.report.ended, command->log.string())};
  }
  std::set<std::vector<std::string>> missing(plan.shapes.begin(), plan.shapes.end());
  bench.report.shapes = missing.size();
  for (const AiterTiming& timing : bench.timings) {
    if (timing.us) missing.erase(UntunedCells(*plan.family, timing.keys));
  }
  bench.report.tuned = bench.report.shapes - missing.size();
  bench.report.missing.assign(missing.begin(), missing.end());
  bench.csv = BenchCsv(*plan.family, bench.timings);
  return bench;
}

core::Result<AiterBench> AiterTuner::BenchBefore(const AiterPlan& plan,
                                                 const AiterObserver& observer) const {
  return Bench(plan, AiterStep::kBenchBefore, {}, observer);
}

core::Result<AiterBench> AiterTuner::BenchAfter(const AiterPlan& plan, const fs::path& tuned_csv,
                                                const AiterObserver& observer) const {
  return Bench(plan, AiterStep::kBenchAfter, tuned_csv, observer);
}

std::string CommitOf(const fs::path& root) {
  std::string commit;
  const core::ChildCommand command{{"git", "-C", root.string(), "rev-parse", "HEAD"}, {}, {}, {}};
  core::ChildLimits limits;
  limits.whole = std::chrono::seconds(10);
  const auto ended = core::RunChild(
      command, limits, [&](std::string_view text) { commit = text; }, [] { return false; });
  return ended.ok() && ended->succeeded() ? commit : std::string();
}

}  // namespace tunehub::agent::tuners
