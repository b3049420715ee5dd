// Plans and runs AITER's own tune scripts, and reads their results. Never writes into the folder of
// the installed AITER (private_tree.h).
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

// The folder of compiled kernels ($AITER_JIT_DIR), one per version of AITER and ROCm. The agent
// does not delete this folder, because compiling a tuner's kernels takes minutes to hours.
struct JitFolder {
  std::filesystem::path path;
  core::Fd lock;  // a shared lock while the folder is in use
};

// The version of ROCm is in .info/version in $ROCM_PATH or /opt/rocm. Without this file it is
// "unknown".
inline constexpr char kUnknownRocm[] = "unknown";
std::string RocmVersion();

// The commit of a git checkout; "" elsewhere.
std::string CommitOf(const std::filesystem::path& root);

class AiterTuner {
 public:
  // Finds AITER and makes the private tree under options.work. The destructor removes this tree. It
  // does not remove the tables or the compiled kernels in options.jit. `targets` must outlive the
  // result. Errors: no_aiter (one sentence, with the places searched), file_unwritable.
  static core::Result<AiterTuner> Open(AiterOptions options, const core::Targets& targets);

  // Writes the untuned table. Does not run the script. `shapes`: cells in the order of
  // Family::untuned_columns. `family` must outlive the plan. Errors: unsupported_family (this AITER
  // has no script for it), no_shapes, those of CheckUntuned, file_unwritable.
  core::Result<AiterPlan> Plan(const core::Family& family,
                               std::vector<std::vector<std::string>> shapes) const;

  // Runs the script. If a signal ends the script, restarts it once; AITER then skips the shapes in
  // its output. Reads the tables even after a failure: report.outcome says how the script ended.
  // Errors: tuner_unstartable, file_unwritable, bad_aiter_table (a table that cannot be read).
  core::Result<AiterRun> Run(const AiterPlan& plan, const AiterObserver& observer = {}) const;

  // Times AITER's operator for each shape: before tuning with its default kernels, after tuning
  // with those of `tuned_csv`. Errors: as Run, and no_report.
  core::Result<AiterBench> Bench(const AiterPlan& plan, AiterStep step,
                                 const std::filesystem::path& tuned_csv = {},
                                 const AiterObserver& observer = {}) const;

  std::string commit() const { return CommitOf(root_); }
  // Versions of the packages of the scripts' Python as name=value, and the host's ROCm version.
  const std::vector<std::string>& toolchain() const { return toolchain_; }

 private:
  AiterTuner(AiterOptions options, const core::Targets& targets)
      : options_(std::move(options)), targets_(&targets) {}

  AiterOptions options_;
  const core::Targets* targets_;
  std::filesystem::path root_;  // the folder of the installed AITER
  std::vector<std::string> toolchain_;
  JitFolder jit_;
  PrivateTree tree_;
};

}  // namespace tunehub::agent
