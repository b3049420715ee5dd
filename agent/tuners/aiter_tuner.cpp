#include "agent/tuners/aiter_tuner.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "agent/atomic_file.h"
#include "agent/child_process.h"
#include "agent/file_bytes.h"
#include "agent/tuners/aiter_variant.h"
#include "agent/untuned_table.h"
#include "agent/utc_time.h"

namespace tunehub::agent::tuners {
namespace {

namespace fs = std::filesystem;

// A second start after a signal; a third would most likely end as the second did.
constexpr int kMostStarts = 2;

const char* StepName(AiterStep step) {
  switch (step) {
    case AiterStep::kBenchBefore:
      return "bench_before";
    case AiterStep::kTune:
      return "tuning";
    case AiterStep::kBenchAfter:
      return "bench_after";
  }
  return "tuning";
}

// "20261121T211030Z", from "2026-11-21T21:10:30.123456Z": for file names.
std::string Stamp() {
  std::string text = UtcText(std::chrono::system_clock::now());
  text = text.substr(0, text.find('.')) + "Z";
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

// A folder of its own for each plan, so that a script never finds rows of another in its output.
core::Result<fs::path> FreshFolder(const fs::path& work, const std::string& family) {
  const std::string name = family + "_" + Stamp();
  for (int i = 0;; ++i) {
    const fs::path folder = work / (i == 0 ? name : name + "_" + std::to_string(i));
    std::error_code error;
    if (fs::create_directories(folder, error)) return folder;
    if (error) return core::Error{"file_unwritable", folder.string() + ": " + error.message()};
  }
}

std::string TextOf(const fs::path& file) {
  auto bytes = FileBytes::Read(file);
  return bytes.ok() ? std::string(bytes->view()) : std::string();
}

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string DeviceList(const std::vector<int>& devices) {
  std::string list;
  for (const int device : devices) list += (list.empty() ? "" : ",") + std::to_string(device);
  return list;
}

// The options of both a tuning and a bench.
void AddCommon(std::vector<std::string>& arguments, const AiterPlan& plan,
               const AiterOptions& options) {
  const auto add = [&](const char* option, const std::string& value) {
    arguments.insert(arguments.end(), {option, value});
  };
  add("-i", plan.untuned.string());
  const int mp = options.mp > 0 ? options.mp : static_cast<int>(options.devices.size());
  if (mp > 0) add("--mp", std::to_string(mp));
  if (options.err_ratio) add("--errRatio", std::to_string(*options.err_ratio));
  if (options.warmup) add("--warmup", std::to_string(*options.warmup));
  if (options.iters) add("--iters", std::to_string(*options.iters));
  if (options.task_timeout_s) add("--timeout", std::to_string(*options.task_timeout_s));
}

void AddTuning(std::vector<std::string>& arguments, const AiterPlan& plan,
               const AiterOptions& options, const AiterVariant& variant) {
  const auto add = [&](const char* option, const std::string& value) {
    arguments.insert(arguments.end(), {option, value});
  };
  add("-o", plan.tuned.string());
  add("-o2", plan.profile.string());
  add("--batch", std::to_string(options.batch));
  if (variant.libtype && !options.libtype.empty()) add("--libtype", options.libtype);
  if (variant.split_k && options.split_k) arguments.emplace_back("-k");
  arguments.insert(arguments.end(), options.extra.begin(), options.extra.end());
}

AiterOutcome OutcomeOf(const ChildEnd& end) {
  switch (end.why) {
    case ChildEnd::Why::kStopped:
      return AiterOutcome::kStopped;
    case ChildEnd::Why::kTooLong:
    case ChildEnd::Why::kSilent:
      return AiterOutcome::kTimedOut;
    case ChildEnd::Why::kItself:
      break;
  }
  if (end.signal != 0) return AiterOutcome::kCrashed;
  if (end.code == 0) return AiterOutcome::kComplete;
  return end.code == 1 ? AiterOutcome::kPartial : AiterOutcome::kFailed;
}

// Starts the command, again after a signal, and notes how it went.
core::Status RunToEnd(const AiterCommand& command, const AiterOptions& options,
                      const AiterObserver& observer,
                      const std::function<void(std::string_view)>& line, AiterReport& report) {
  const auto began = std::chrono::steady_clock::now();
  const ChildCommand child{command.arguments, command.environment, command.folder, command.log};
  ChildLimits limits;
  limits.whole = options.limit;
  limits.silence = options.silence;
  limits.grace = options.grace;
  report.files.push_back(command.log);
  for (;;) {
    auto ended = RunChild(child, limits, line, observer.stop);
    if (!ended.ok() && ended.error().code == "child_unstartable") {
      return core::Error{"tuner_unstartable", ended.error().detail};
    }
    if (!ended.ok()) return ended.error();
    ++report.starts;
    report.ended = ended->Text();
    report.outcome = OutcomeOf(*ended);
    if (report.outcome != AiterOutcome::kCrashed || report.starts >= kMostStarts) break;
    observer.note("AITER's script ended with " + report.ended + "; it is started once more");
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return core::Ok();
}

// The cells of a timing in the order of the family's untuned columns.
std::vector<std::string> CellsOf(const core::Family& family, const AiterTiming& timing) {
  std::vector<std::string> cells;
  for (const std::string& name : family.untuned_columns) {
    const auto found = timing.keys.find(name);
    cells.push_back(found == timing.keys.end() ? "" : found->second);
  }
  return cells;
}

std::string BenchCsv(const core::Family& family, const std::vector<AiterTiming>& timings) {
  core::Family report = family;  // only for its header
  report.untuned_columns.insert(report.untuned_columns.end(), {"us", "status"});
  std::vector<std::vector<std::string>> rows;
  for (const AiterTiming& timing : timings) {
    std::vector<std::string> row = CellsOf(family, timing);
    row.push_back(timing.us ? std::to_string(*timing.us) : "");
    row.push_back(timing.status);
    rows.push_back(std::move(row));
  }
  return UntunedCsv(report, rows);
}

}  // namespace

core::Result<AiterTuner> AiterTuner::Open(AiterOptions options, const core::Targets& targets) {
  AiterTuner tuner(std::move(options), targets);
  auto root = FindAiter(tuner.options_.root, tuner.options_.python);
  if (!root.ok()) return root.error();
  tuner.root_ = *std::move(root);
  for (const fs::path& folder : {tuner.options_.work, tuner.options_.logs}) {
    if (core::Status made = MakeFolder(folder); !made.ok()) return made.error();
  }
  auto home = FreshFolder(fs::absolute(tuner.options_.work), "aiter");
  if (!home.ok()) return home.error();
  tuner.options_.work = *home;
  tuner.options_.logs = fs::absolute(tuner.options_.logs);
  auto tree = PrivateTree::Make(tuner.root_, *home);
  if (!tree.ok()) return tree.error();
  tuner.tree_ = *std::move(tree);
  return tuner;
}

core::Result<AiterPlan> AiterTuner::Plan(const core::Family& family,
                                         std::vector<std::vector<std::string>> shapes) const {
  const AiterVariant* const variant = VariantOf(family);
  if (variant == nullptr || family.tune_script.empty()) {
    return core::Error{"unsupported_family", "AITER has no tuner for " + family.name};
  }
  if (shapes.empty()) return core::Error{"no_shapes", "there is no shape to tune"};
  auto folder = FreshFolder(options_.work, family.name);
  if (!folder.ok()) return folder.error();
  AiterPlan plan;
  plan.family = &family;
  plan.shapes = std::move(shapes);
  plan.err_ratio = options_.err_ratio.value_or(variant->err_ratio);
  plan.untuned = *folder / family.untuned_file;
  plan.tuned = *folder / family.file;
  plan.profile = *folder / ("profile_" + family.file);
  const core::Status written = WriteAtomically(plan.untuned, UntunedCsv(family, plan.shapes));
  if (!written.ok()) return written.error();
  auto command = Command(plan, AiterStep::kTune, {});
  if (!command.ok()) return command.error();
  plan.tune = *std::move(command);
  return plan;
}

core::Result<AiterCommand> AiterTuner::Command(const AiterPlan& plan, AiterStep step,
                                               const fs::path& run_config) const {
  const core::Family& family = *plan.family;
  const AiterVariant* const variant = VariantOf(family);
  std::vector<std::string> words = Words(family.tune_script);
  const fs::path script = FindScript(tree_.path(), words.front());
  if (variant == nullptr || script.empty()) {
    return core::Error{"unsupported_family", "the AITER in " + root_.string() + " has no " +
                                                 words.front() + ", which tunes " + family.name};
  }
  AiterCommand command;
  command.step = step;
  command.arguments = {options_.python, script.string()};
  command.arguments.insert(command.arguments.end(), words.begin() + 1, words.end());
  AddCommon(command.arguments, plan, options_);
  if (step == AiterStep::kTune) {
    AddTuning(command.arguments, plan, options_, *variant);
  } else {
    command.arguments.emplace_back("--run_config");
    if (!run_config.empty()) command.arguments.push_back(fs::absolute(run_config).string());
  }
  command.environment = tree_.Environment();
  if (!options_.devices.empty()) {
    command.environment["HIP_VISIBLE_DEVICES"] = DeviceList(options_.devices);
  }
  command.folder = plan.untuned.parent_path();
  command.log = options_.logs / (family.name + "_" + StepName(step) + "_" + Stamp() + ".log");
  return command;
}

core::Result<AiterRun> AiterTuner::Run(const AiterPlan& plan, const AiterObserver& observer) const {
  AiterRun run;
  AiterProgress progress;
  const auto line = [&](std::string_view text) {
    if (ReadProgress(text, progress)) observer.progress(progress);
  };
  core::Status status = RunToEnd(plan.tune, options_, observer, line, run.report);
  if (!status.ok()) return status.error();
  status = ReadAiterTables(*plan.family, *targets_, plan.err_ratio, plan.shapes, TextOf(plan.tuned),
                           TextOf(plan.profile), run);
  if (!status.ok()) return status.error();
  if (run.report.outcome == AiterOutcome::kComplete && !run.report.missing.empty()) {
    run.report.outcome = AiterOutcome::kPartial;
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
  auto command = Command(plan, step, run_config);
  if (!command.ok()) return command.error();
  AiterBench bench;
  AiterReportReader reader;
  const core::Status status = RunToEnd(
      *command, options_, observer, [&](std::string_view text) { reader.Add(text); }, bench.report);
  if (!status.ok()) return status.error();
  bench.timings = reader.timings();
  if (bench.timings.empty()) {
    return core::Error{"no_report", "AITER's script ended with " + bench.report.ended +
                                        " and reported no shape; see " + command->log.string()};
  }
  std::set<std::vector<std::string>> missing(plan.shapes.begin(), plan.shapes.end());
  bench.report.shapes = missing.size();
  for (const AiterTiming& timing : bench.timings) {
    if (timing.us) missing.erase(CellsOf(*plan.family, timing));
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

std::string AiterTuner::commit() const {
  std::string commit;
  const ChildCommand command{{"git", "-C", root_.string(), "rev-parse", "HEAD"}, {}, {}, {}};
  ChildLimits limits;
  limits.whole = std::chrono::seconds(10);
  const auto ended = RunChild(
      command, limits, [&](std::string_view text) { commit = text; }, [] { return false; });
  return ended.ok() && ended->succeeded() ? commit : std::string();
}

}  // namespace tunehub::agent::tuners
