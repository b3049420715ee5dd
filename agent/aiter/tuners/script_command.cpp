#include "agent/aiter/tuners/script_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <numeric>

#include "agent/aiter/tuners/aiter_variant.h"
#include "core/base/environment.h"
#include "core/base/split.h"

namespace tunehub::agent::tuners {
namespace {

namespace fs = std::filesystem;

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

// ROCr hides the other GPUs and counts those that are left anew, which HIP then chooses from.
void AddDevices(const std::vector<int>& devices, std::map<std::string, std::string>& environment) {
  if (devices.empty()) return;
  std::vector<int> left(devices.size());
  std::iota(left.begin(), left.end(), 0);
  environment["ROCR_VISIBLE_DEVICES"] = List(devices);
  environment["HIP_VISIBLE_DEVICES"] = List(left);
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
  if (options.verbose) arguments.emplace_back("-v");
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
  if (options.all) arguments.emplace_back(kRetuneAll);
  if (options.min_improvement_pct) {
    add("--min_improvement_pct", std::to_string(*options.min_improvement_pct));
  }
}

}  // namespace

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
  command.step = step;
  command.arguments = {options.python, script.string()};
  command.arguments.insert(command.arguments.end(), words.begin() + 1, words.end());
  AddCommon(command.arguments, plan, options);
  if (step == AiterStep::kTune) {
    AddTuning(command.arguments, plan, options, *variant);
  } else {
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

}  // namespace tunehub::agent::tuners
