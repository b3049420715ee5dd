// Plans and runs AITER's own tune scripts, as a person with a GPU would, and reads what they leave
// behind. The AITER that is installed is never written to (private_tree.h).
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/tuners/aiter_output.h"
#include "agent/tuners/aiter_results.h"
#include "agent/tuners/private_tree.h"
#include "core/family.h"
#include "core/result.h"
#include "core/targets.h"

namespace tunehub::agent::tuners {

// A task of AITER's has 1,800 s by default; a script that says nothing for longer than two of them
// is not working.
inline constexpr std::chrono::seconds kSilenceLimit{3600};
// Results are flushed after each batch of shapes: what a crash may cost at most.
inline constexpr int kShapesPerBatch = 4;

struct AiterOptions {
  // The checkout or the folder that holds the package aiter. Empty: $AITER_ROOT_DIR, else where
  // `python` finds the package.
  std::filesystem::path root;
  std::filesystem::path work;                // for this run's files; made, never emptied
  std::filesystem::path logs = "tune_logs";  // made
  std::string python = "python3";
  std::vector<int> devices;  // HIP_VISIBLE_DEVICES; empty: as it is set already
  int mp = 0;                // GPUs at once; 0: one per device of `devices`, else AITER's default
  int batch = kShapesPerBatch;
  std::optional<double> err_ratio;  // --errRatio; without it AITER's own (aiter_variant.h)
  std::string libtype;              // where the script has the option; "": its default
  bool split_k = false;             // -k, where the script has it
  std::optional<int> warmup, iters;
  std::optional<int> task_timeout_s;  // --timeout
  std::chrono::seconds limit{0};      // of a whole script; 0: none
  std::chrono::seconds silence = kSilenceLimit;
  // Between SIGTERM and SIGKILL when it must end: how soon the GPU is another's.
  std::chrono::milliseconds grace{5000};
  std::vector<std::string> extra;  // appended to the tuning command as they are
};

enum class AiterStep { kBenchBefore, kTune, kBenchAfter };

// One script, ready to start.
struct AiterCommand {
  AiterStep step = AiterStep::kTune;
  std::vector<std::string> arguments;              // the program first
  std::map<std::string, std::string> environment;  // beside this process's own
  std::filesystem::path folder;                    // to start in
  std::filesystem::path log;
};

struct AiterPlan {
  const core::Family* family = nullptr;
  std::vector<std::vector<std::string>> shapes;  // in the order of Family::untuned_columns
  double err_ratio = 0;                          // that the run's measurements are judged by
  std::filesystem::path untuned, tuned, profile;
  AiterCommand tune;
};

// Called from Run and the benches, in this thread.
struct AiterObserver {
  std::function<void(const AiterProgress&)> progress = [](const AiterProgress&) {};
  std::function<void(const std::string&)> note = [](const std::string&) {};
  std::function<bool()> stop = [] { return false; };  // asked several times a second
};

class AiterTuner {
 public:
  // Finds AITER and makes the private tree under options.work, which goes when this object goes;
  // the tables stay. `targets` must outlive it. Errors: no_aiter (one sentence: where it was looked
  // for), file_unwritable.
  static core::Result<AiterTuner> Open(AiterOptions options, const core::Targets& targets);

  // Writes the untuned table; nothing runs yet. `shapes` in the order of Family::untuned_columns;
  // `family` must outlive the plan. Errors: unsupported_family (AITER has no script for it, or this
  // AITER has not), no_shapes, file_unwritable.
  core::Result<AiterPlan> Plan(const core::Family& family,
                               std::vector<std::vector<std::string>> shapes) const;

  // Runs the script to its end, once more if a signal ended it (it goes on where it was: shapes in
  // its output are skipped). Whatever it left is read, also after a failure: report.outcome says
  // how it ended. Errors: tuner_unstartable, file_unwritable, those of reading a table that is none
  // (bad_aiter_table).
  core::Result<AiterRun> Run(const AiterPlan& plan, const AiterObserver& observer = {}) const;

  // What AITER's operator takes for each shape: before, with the kernels that it falls back to;
  // after, with those of `tuned_csv` (a tuned table). Errors: as Run, and no_report.
  core::Result<AiterBench> BenchBefore(const AiterPlan& plan,
                                       const AiterObserver& observer = {}) const;
  core::Result<AiterBench> BenchAfter(const AiterPlan& plan, const std::filesystem::path& tuned_csv,
                                      const AiterObserver& observer = {}) const;

  const std::filesystem::path& root() const { return root_; }  // the AITER found
  std::string commit() const;                                  // of a git checkout; "" elsewhere

 private:
  AiterTuner(AiterOptions options, const core::Targets& targets)
      : options_(std::move(options)), targets_(&targets) {}
  core::Result<AiterCommand> Command(const AiterPlan& plan, AiterStep step,
                                     const std::filesystem::path& run_config) const;
  core::Result<AiterBench> Bench(const AiterPlan& plan, AiterStep step,
                                 const std::filesystem::path& run_config,
                                 const AiterObserver& observer) const;

  AiterOptions options_;
  const core::Targets* targets_;
  std::filesystem::path root_;  // as installed
  PrivateTree tree_;
};

}  // namespace tunehub::agent::tuners
