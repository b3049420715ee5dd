// Plans and runs AITER's own tune scripts, and reads their results. Never writes to the installed
// AITER (private_tree.h).
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

// The folder of compiled kernels ($AITER_JIT_DIR), one per AITER and ROCm. It is kept, because
// compiling a tuner's kernels takes minutes to hours.
struct JitFolder {
  std::filesystem::path path;
  core::Fd lock;  // shared, while the folder is in use
};

// From .info/version in $ROCM_PATH or /opt/rocm; else "unknown".
inline constexpr char kUnknownRocm[] = "unknown";
std::string RocmVersion();

// The commit of a git checkout; "" elsewhere.
std::string CommitOf(const std::filesystem::path& root);

class AiterTuner {
 public:
  // Finds AITER and makes the private tree under options.work; the destructor removes the tree, not
  // the tables, and not the compiled kernels in options.jit. `targets` must outlive it. Errors:
  // no_aiter (one sentence, with the places searched), file_unwritable.
  static core::Result<AiterTuner> Open(AiterOptions options, const core::Targets& targets);

  // Writes the untuned table; runs nothing. `shapes`: in the order of Family::untuned_columns.
  // `family` must outlive the plan. Errors: unsupported_family (this AITER has no script for it),
  // no_shapes, those of CheckUntuned, file_unwritable.
  core::Result<AiterPlan> Plan(const core::Family& family,
                               std::vector<std::vector<std::string>> shapes) const;

  // Runs the script, and restarts it once after a signal; AITER then skips the shapes in its
  // output. Reads the tables also after a failure: report.outcome tells how the script ended.
  // Errors: tuner_unstartable, file_unwritable, bad_aiter_table (a table that cannot be read).
  core::Result<AiterRun> Run(const AiterPlan& plan, const AiterObserver& observer = {}) const;

  // Times AITER's operator for each shape: before tuning with its default kernels, after tuning
  // with those of `tuned_csv`. Errors: as Run, and no_report.
  core::Result<AiterBench> Bench(const AiterPlan& plan, AiterStep step,
                                 const std::filesystem::path& tuned_csv = {},
                                 const AiterObserver& observer = {}) const;

  std::string commit() const { return CommitOf(root_); }
  // Versions of the scripts' Python as name=value, with the host's ROCm.
  const std::vector<std::string>& toolchain() const { return toolchain_; }

 private:
  AiterTuner(AiterOptions options, const core::Targets& targets)
      : options_(std::move(options)), targets_(&targets) {}

  AiterOptions options_;
  const core::Targets* targets_;
  std::filesystem::path root_;  // of the installed AITER
  std::vector<std::string> toolchain_;
  JitFolder jit_;
  PrivateTree tree_;
};

}  // namespace tunehub::agent
