// The command line of a tune script, and its run.
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

// What AITER's tune scripts have in different ways. The script itself, its table and its variable
// are in the family's file.
struct AiterVariant {
  std::string_view script;  // its file name
  bool libtype = false;     // has --libtype
  bool split_k = false;     // has -k/--splitK
  double err_ratio = 0.05;  // its default of --errRatio
};

// The family's script as its file says it, with its flags; gradlib's where the tree has that alone.
std::string ScriptOf(const core::Family& family, const std::filesystem::path& tree);
// Of a script's path and flags, such as Family::tune_script. Null: none that reads an untuned
// table.
const AiterVariant* VariantOf(std::string_view script);
// As the logs of its steps are called: AITER's skill says moe_2stages for fmoe.
std::string_view VariantName(const core::Family& family);

// "" where the script runs on this architecture.
std::string WhyNotOn(const core::Family& family, std::string_view gfx);

// Where the logs go without --logs: tune_logs of $AITER_PATH, else of the working folder.
std::filesystem::path DefaultLogs();

// What all scripts' runs have in common.
struct ScriptSettings {
  std::string python = "python3";
  std::filesystem::path work;  // each run's files go into a folder of its own in it; made
  std::filesystem::path logs = DefaultLogs();  // made
  std::vector<std::string> extra;              // appended to every command as they are
  std::chrono::seconds limit{0};               // of a whole script; 0: none
  // A task of AITER's has 1,800 s by default, an engine's sweep of one batch size takes minutes: a
  // script or a compiler that says nothing for as long is not working.
  std::chrono::seconds silence{3600};
  // Between SIGTERM and SIGKILL when it must end: how soon the GPU is another's.
  std::chrono::milliseconds grace{5000};
};

struct AiterOptions : ScriptSettings {
  // The checkout or the folder that holds the package aiter. Empty: $AITER_ROOT_DIR, else where
  // `python` finds the package.
  std::filesystem::path root;
  std::filesystem::path jit;  // what AITER compiles is kept below it; made
  // Numbers as the kernel driver counts GPUs; the script sees no others. Empty: as it is set
  // already.
  std::vector<int> devices;
  int mp = 0;     // GPUs at once; 0: one per device of `devices`, else AITER's default
  int batch = 4;  // shapes; results are flushed after each: what a crash may cost at most
  std::optional<double> err_ratio;            // --errRatio; without it AITER's own
  std::string libtype;                        // where the script has the option; "": its default
  bool split_k = false;                       // -k, where the script has it
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
  int most_starts = 2;  // where a signal ends it; a third would most likely end as the second did
};

struct AiterPlan {
  const core::Family* family = nullptr;
  std::vector<std::vector<std::string>> shapes;  // in the order of Family::untuned_columns
  double err_ratio = 0;                          // that the run's measurements are judged by
  std::filesystem::path untuned, tuned, profile;
  AiterCommand tune;
};

// "20260321_143022", now, by the host's clock: for file names, as AITER's skill has them.
std::string Stamp();

// `folder`/VARIANT_STEP_TIME.log: "a8w8_blockscale_bench_before_20260321_143022.log".
std::filesystem::path StepLogPath(const std::filesystem::path& folder, const core::Family& family,
                                  AiterStep step);

// The script of the plan's family in `tree`; for a bench after tuning with the table `run_config`,
// which is "" otherwise. Errors: unsupported_family, where this AITER lacks the script.
core::Result<AiterCommand> CommandFor(const AiterPlan& plan, AiterStep step,
                                      const std::filesystem::path& run_config,
                                      const PrivateTree& tree, const AiterOptions& options);

// Called in the thread that runs the script.
struct ScriptObserver {
  std::function<void(std::string_view)> line = [](std::string_view) {};  // all that it prints
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<bool()> stop = [] { return false; };  // asked several times a second
};

struct AiterObserver : ScriptObserver {
  std::function<void(const AiterProgress&)> progress = [](const AiterProgress&) {};
};

struct EngineObserver : ScriptObserver {
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// Starts the command, once more after a signal, gives `line` what it prints, and notes in `report`
// how it went. The log's folder is made. Errors: tuner_unstartable, file_unwritable (the log).
core::Status RunScript(const AiterCommand& command, const ScriptSettings& settings,
                       const ScriptObserver& observer,
                       const std::function<void(std::string_view)>& line, AiterReport& report);

}  // namespace tunehub::agent
