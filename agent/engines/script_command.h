// Makes the command line of a tune script, and runs it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/private_tree.h"
#include "agent/engines/aiter_results.h"
#include "core/base/process.h"
#include "core/base/result.h"
#include "core/family/family.h"

namespace tunehub::agent {

// The differences between AITER's tune scripts. The family's file names the script, the table and
// the variable.
struct AiterVariant {
  std::string_view script;  // the script's file name
  bool libtype = false;     // true: the script has --libtype
  bool split_k = false;     // true: the script has -k/--splitK
  double err_ratio = 0.05;  // the script's default of --errRatio
};

// Returns the script in the family's file, with its flags. Returns gradlib's script if the tree has
// only gradlib's.
std::string ScriptOf(const core::Family& family, const std::filesystem::path& tree);
// Finds the entry for a script's path and flags, such as Family::tune_script. Null if the script is
// unknown or does not read an untuned table.
const AiterVariant* VariantOf(std::string_view script);
// The family's name in the names of log files. For fmoe it is moe_2stages, as in AITER's tuning
// guide.
std::string_view VariantName(const core::Family& family);

// Returns why the script does not run on this architecture; "": it runs.
std::string WhyNotOn(const core::Family& family, std::string_view gfx);

// The folder of logs if --logs is not given: tune_logs in $AITER_PATH, else in the working folder.
std::filesystem::path DefaultLogs();

// Settings of all scripts' runs.
struct ScriptSettings {
  std::string python = "python3";
  // contains a folder per run; the agent makes it if it is missing
  std::filesystem::path work;
  std::filesystem::path logs = DefaultLogs();  // made if missing
  std::vector<std::string> extra;              // appended to every command unchanged
  std::chrono::seconds limit{0};               // the time limit of a whole script; 0: none
  // The time without output after which the script counts as hung. AITER's own limit for a task is
  // 1,800 s. An engine needs minutes for one batch size.
  std::chrono::seconds silence{3600};
  // The time between SIGTERM and SIGKILL, within which a stopped script frees the GPU.
  std::chrono::milliseconds grace{5000};
};

struct AiterOptions : ScriptSettings {
  // The checkout, or the folder that contains the package aiter. Empty: $AITER_ROOT_DIR, else the
  // package that `python` finds.
  std::filesystem::path root;
  // the folder of compiled kernels; the agent makes it if it is missing and never deletes it
  std::filesystem::path jit;
  // Numbers of the GPUs in the kernel driver's list. The script sees only these GPUs. Empty: the
  // environment decides.
  std::vector<int> devices;
  int mp = 0;     // GPUs at once; 0: one per device of `devices`, else AITER's default
  int batch = 4;  // shapes per flush of results; a crash loses one batch
  std::optional<double> err_ratio;  // --errRatio; absent: AITER's default
  // --libtype, if the script has this option; "": the script's default
  std::string libtype;
  bool split_k = false;                       // -k, if the script has it
  bool all = false;                           // --all
  bool verbose = false;                       // -v
  std::optional<double> min_improvement_pct;  // --min_improvement_pct
  std::optional<int> warmup, iters;
  std::optional<int> task_timeout_s;  // --timeout
};

enum class AiterStep { kBenchBefore, kTune, kBenchAfter };

// One script, ready to start.
struct AiterCommand : core::ChildCommand {
  std::string whose = "AITER's script";  // in messages
  // the most starts if signals end the script; a third start would crash, too
  int most_starts = 2;
};

struct AiterPlan {
  const core::Family* family = nullptr;
  std::vector<std::vector<std::string>> shapes;  // in the order of Family::untuned_columns
  double err_ratio = 0;                          // the error limit for the run's measurements
  std::filesystem::path untuned, tuned, profile;
  AiterCommand tune;
};

// The host's time in the form of AITER's file names: "20260321_143022".
std::string Stamp();

// `folder`/VARIANT_STEP_TIME.log: "a8w8_blockscale_bench_before_20260321_143022.log".
std::filesystem::path StepLogPath(const std::filesystem::path& folder, const core::Family& family,
                                  AiterStep step);

// The command of the plan's family in `tree`. `run_config`: the table of a bench after tuning, else
// "". Errors: unsupported_family (this AITER lacks the script).
core::Result<AiterCommand> CommandFor(const AiterPlan& plan, AiterStep step,
                                      const std::filesystem::path& run_config,
                                      const PrivateTree& tree, const AiterOptions& options);

// RunScript calls these functions in its own thread.
struct ScriptObserver {
  // called for each line of output
  std::function<void(std::string_view)> line = [](std::string_view) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<bool()> stop = [] { return false; };  // called several times a second
};

struct AiterObserver : ScriptObserver {
  std::function<void(const AiterProgress&)> progress = [](const AiterProgress&) {};
};

struct EngineObserver : ScriptObserver {
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Runs the command. If a signal ends it, restarts it, with at most most_starts starts. Passes its
// output to `line`. Sets `report`. Makes the log's folder. Errors: tuner_unstartable,
// file_unwritable (the log).
core::Status RunScript(const AiterCommand& command, const ScriptSettings& settings,
                       const ScriptObserver& observer,
                       const std::function<void(std::string_view)>& line, ScriptReport& report);

}  // namespace tunehub::agent
