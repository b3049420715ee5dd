#include "agent/engines/script_command.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <numeric>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"

namespace tunehub::agent {
namespace {

namespace fs = std::filesystem;

// The tune scripts. A row is for a script with any flags, such as --preshuffle and --grouped-gemm.
// (The flags are in the family's tune_script.) opus_bmm_mxscale_tune.py has no --libtype, and its
// -k means K, not split K. chunk_gdn_h_opt_tune.py is missing here, since its cases are not shapes.
constexpr std::array<AiterVariant, 10> kVariants = {{
    {"gemm_a8w8_tune.py", false, true, 0.05},
    {"gemm_a8w8_bpreshuffle_tune.py", true, true, 0.05},
    {"gemm_a8w8_blockscale_tune.py", true, true, 0.05},
    {"gemm_a4w4_blockscale_tune.py", false, true, 0.05},
    {"batched_gemm_a8w8_tune.py", false, true, 0.05},
    {"batched_gemm_bf16_tune.py", false, true, 0.05},
    {"gemm_a16w16_tune.py", true, true, 1.0},
    {"gemm_tuner.py", true, true, 0.05},
    {"gemm_moe_tune.py", false, false, 0.1},
    {"opus_bmm_mxscale_tune.py", false, false, 0.02},
}};

// gradlib's script tunes bf16 in a tree without csrc/, or in a release older than kBf16Script.
constexpr char kBf16Script[] = "csrc/gemm_a16w16/gemm_a16w16_tune.py";
constexpr char kGradlibScript[] = "gradlib/gradlib/gemm_tuner.py";

// Without this option, a script skips the shapes that are already in its output.
constexpr char kRetuneAll[] = "--all";

// Families that run on a single architecture.
constexpr std::pair<std::string_view, std::string_view> kOnlyOn[] = {{"a4w4_blockscale", "gfx950"},
                                                                     {"grouped_fmoe", "gfx1250"}};

constexpr const char* kStepNames[] = {"bench_before", "tuning", "bench_after"};

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : core::SplitAt(text, " ")) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::string List(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

// ROCr hides the other GPUs and gives new numbers to the remaining GPUs. HIP then uses these
// numbers.
void AddDevices(const std::vector<int>& devices, std::map<std::string, std::string>& environment) {
  if (devices.empty()) return;
  std::vector<int> left(devices.size());
  std::iota(left.begin(), left.end(), 0);
  environment["ROCR_VISIBLE_DEVICES"] = List(devices);
  environment["HIP_VISIBLE_DEVICES"] = List(left);
}

void AddOptions(std::vector<std::string>& arguments, const AiterPlan& plan, AiterStep step,
                const AiterOptions& options, const AiterVariant& variant) {
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
  if (options.verbose) arguments.emplace_back("-v");
  if (step != AiterStep::kTune) return;
  add("-o", plan.tuned.string());
  add("-o2", plan.profile.string());
  add("--batch", std::to_string(options.batch));
  if (variant.libtype && !options.libtype.empty()) add("--libtype", options.libtype);
  if (variant.split_k && options.split_k) arguments.emplace_back("-k");
  if (options.all) arguments.emplace_back(kRetuneAll);
  if (options.min_improvement_pct) {
    add("--min_improvement_pct", std::to_string(*options.min_improvement_pct));
  }
}

ScriptOutcome OutcomeOf(const core::ChildEnd& end) {
  switch (end.why) {
    case core::ChildEnd::Why::kStopped:
      return ScriptOutcome::kEnded;
    case core::ChildEnd::Why::kTooLong:
    case core::ChildEnd::Why::kSilent:
      return ScriptOutcome::kTimedOut;
    case core::ChildEnd::Why::kItself:
      break;
  }
  if (end.signal != 0) return ScriptOutcome::kCrashed;
  if (end.code == 0) return ScriptOutcome::kComplete;
  return end.code == 1 ? ScriptOutcome::kPartial : ScriptOutcome::kExited;
}

}  // namespace

std::string ScriptOf(const core::Family& family, const std::filesystem::path& tree) {
  const bool gradlib = family.tune_script == kBf16Script && FindScript(tree, kBf16Script).empty() &&
                       !FindScript(tree, kGradlibScript).empty();
  return gradlib ? kGradlibScript : family.tune_script;
}

std::string_view VariantName(const core::Family& family) {
  return family.name == "fmoe" ? std::string_view("moe_2stages") : std::string_view(family.name);
}

std::string WhyNotOn(const core::Family& family, std::string_view gfx) {
  for (const auto& [name, only] : kOnlyOn) {
    if (family.name == name && gfx != only)
      return fmt::format("AITER tunes it only on {}, but the GPU is {}", only, gfx);
  }
  return "";
}

const AiterVariant* VariantOf(std::string_view script) {
  const std::string_view path = script.substr(0, script.find(' '));
  const std::string_view file = core::BaseName(path);
  for (const AiterVariant& variant : kVariants) {
    if (variant.script == file) return &variant;
  }
  return nullptr;
}

std::string Stamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:04}{:02}{:02}_{:02}{:02}{:02}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
}

fs::path StepLogPath(const fs::path& folder, const core::Family& family, AiterStep step) {
  const char* const name = kStepNames[static_cast<std::size_t>(step)];
  return folder / fmt::format("{}_{}_{}.log", VariantName(family), name, Stamp());
}

fs::path DefaultLogs() {
  return fs::path(core::Environment("AITER_PATH")) / "tune_logs";
}

core::Result<AiterCommand> CommandFor(const AiterPlan& plan, AiterStep step,
                                      const fs::path& run_config, const PrivateTree& tree,
                                      const AiterOptions& options) {
  const core::Family& family = *plan.family;
  std::vector<std::string> words = Words(ScriptOf(family, tree.path()));
  const AiterVariant* const variant = VariantOf(words.front());
  const fs::path script = FindScript(tree.path(), words.front());
  if (variant == nullptr || script.empty()) {
    return core::Error{"unsupported_family",
                       fmt::format("the AITER in {} has no {}, which tunes {}",
                                   tree.aiter().string(), words.front(), family.name)};
  }
  AiterCommand command;
  command.arguments = {options.python, script.string()};
  command.arguments.insert(command.arguments.end(), words.begin() + 1, words.end());
  AddOptions(command.arguments, plan, step, options, *variant);
  if (step != AiterStep::kTune) {
    command.arguments.emplace_back("--run_config");
    if (!run_config.empty()) command.arguments.push_back(fs::absolute(run_config).string());
  }
  command.arguments.insert(command.arguments.end(), options.extra.begin(), options.extra.end());
  command.environment = tree.Environment();
  AddDevices(options.devices, command.environment);
  command.folder = plan.untuned.parent_path();
  command.log = StepLogPath(options.logs, family, step);
  return command;
}

core::Status RunScript(const AiterCommand& command, const ScriptSettings& settings,
                       const ScriptObserver& observer,
                       const std::function<void(std::string_view)>& line, ScriptReport& report) {
  if (auto made = core::MakeFolder(command.log.parent_path()); !made.ok()) return made;
  const auto began = std::chrono::steady_clock::now();
  core::ChildCommand child = command;
  std::string last;
  const auto keep = [&](std::string_view text) {
    if (!text.empty()) last = text;
    observer.line(text);
    line(text);
  };
  const core::ChildLimits limits{settings.limit, settings.silence, settings.grace};
  report.files.push_back(command.log);
  for (;;) {
    auto ended = core::RunChild(child, limits, keep, observer.stop);
    if (!ended.ok() && ended.error().code == "child_unstartable") {
      return core::Error{"tuner_unstartable", ended.error().detail};
    }
    if (!ended.ok()) return ended.error();
    ++report.starts;
    report.ended = ended->Text();
    report.outcome = OutcomeOf(*ended);
    if (report.outcome != ScriptOutcome::kCrashed || report.starts >= command.most_starts) break;
    observer.note(fmt::format("{} ended with {}; the agent starts it once more", command.whose,
                              report.ended));
    // the restarted script skips shapes that were tuned before the crash
    std::erase(child.arguments, kRetuneAll);
  }
  if (report.outcome == ScriptOutcome::kExited) {
    observer.note(fmt::format("{} ended with {}: {}", command.whose, report.ended, last));
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return core::Ok();
}

}  // namespace tunehub::agent
