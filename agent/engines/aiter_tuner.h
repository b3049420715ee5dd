// Plans and runs AITER's own tune scripts, as a person with a GPU would, and reads what they leave
// behind. The AITER that is installed is never written to (private_tree.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/aiter/private_tree.h"
#include "agent/engines/aiter_results.h"
#include "agent/engines/script_command.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"

namespace tunehub::agent {

// Where AITER's scripts keep what they compile ($AITER_JIT_DIR): one folder for each AITER and each
// ROCm, which stays, because compiling a tuner's kernels takes minutes to hours.
struct JitFolder {
  std::filesystem::path path;
  core::Fd lock;  // shared for as long as the folder is used
};

// As /opt/rocm/.info/version or that of $ROCM_PATH says; "unknown".
inline constexpr char kUnknownRocm[] = "unknown";
std::string RocmVersion();

// The commit of a git checkout; "" elsewhere.
std::string CommitOf(const std::filesystem::path& root);

class AiterTuner {
 public:
  // Finds AITER and makes the private tree under options.work, which goes when this object goes;
  // the tables stay, and what is compiled, in options.jit. `targets` must outlive it. Errors:
  // no_aiter (one sentence: where it was looked for), file_unwritable.
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
  core::Result<AiterBench> Bench(const AiterPlan& plan, AiterStep step,
                                 const std::filesystem::path& tuned_csv = {},
                                 const AiterObserver& observer = {}) const;

  std::string commit() const { return CommitOf(root_); }
  // The versions of the Python that runs the scripts, as name=value, the host's ROCm among them.
  const std::vector<std::string>& toolchain() const { return toolchain_; }

 private:
  AiterTuner(AiterOptions options, const core::Targets& targets)
      : options_(std::move(options)), targets_(&targets) {}

  AiterOptions options_;
  const core::Targets* targets_;
  std::filesystem::path root_;  // as installed
  std::vector<std::string> toolchain_;
  JitFolder jit_;
  PrivateTree tree_;
};

}  // namespace tunehub::agent
