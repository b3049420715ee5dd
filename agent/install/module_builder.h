// Rebuilds modules of an AITER tree with AITER's own JIT. The new tables need not be in the tree
// yet. The builder works beside the old module and replaces it only after success. So a failed
// build changes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/private_tree.h"
#include "agent/base/configuration.h"
#include "agent/install/installer.h"
#include "core/base/file.h"
#include "core/base/result.h"
#include "core/builds/manifest.h"

namespace tunehub::agent {

// The kernel table of a module, from the header (*_lookup.h) that AITER's code generator writes. It
// maps a shape or a kernel's name to a function. A row's key has no spaces:
// "gfx942",304,16,1280,8192 or a name. Other parts of the header are ignored.
using LookupRows = std::map<std::string, std::string>;
LookupRows ReadLookupHeader(std::string_view header);

// From all *_lookup.h below `folder`; empty if there are none.
LookupRows ReadLookupHeaders(const std::filesystem::path& folder);

struct LookupChange {
  // At most kMostKeys of each kind.
  std::vector<std::string> added, removed;
  std::vector<std::string> changed;                                          // "KEY: OLD -> NEW"
  std::size_t rows_added = 0, rows_removed = 0, rows_changed = 0, rows = 0;  // rows: after
};
// The most rows that a report lists of each kind.
inline constexpr std::size_t kMostKeys = 20;
LookupChange CompareLookups(const LookupRows& before, const LookupRows& after);

// "12 rows added, 3 removed, 5 with another kernel, 120 now"
std::string SummaryOf(const LookupChange& change);

struct BuilderOptions {
  std::filesystem::path root;  // contains aiter/jit
  std::string python = "python3";
  std::string gpu_archs;      // GPU_ARCHS; "": the environment's
  std::filesystem::path log;  // every build appends to it; empty: a file beside the modules
};

struct BuiltModule {
  std::string library;  // "module_gemm_a8w8"
  bool built = false;
  std::string why;      // the last line of a failed build's output
  LookupChange lookup;  // what changed in the lookup table
};

class ModuleBuilder {
 public:
  // Errors: no_jit (the tree has no aiter/jit/core.py), busy (another process builds there),
  // file_unwritable, file_unreadable.
  static core::Result<ModuleBuilder> Open(BuilderOptions options);
  ModuleBuilder(ModuleBuilder&&) = default;
  ModuleBuilder& operator=(ModuleBuilder&&) = default;
  ModuleBuilder(const ModuleBuilder&) = delete;
  ModuleBuilder& operator=(const ModuleBuilder&) = delete;
  ~ModuleBuilder();  // removes results that were not put in place

  // Replaces a table of the tree in the next builds. The arguments are the table's file name in
  // aiter/configs, its variable (AITER_CONFIG_GEMM_A8W8) and its bytes. Errors: file_unwritable.
  core::Status SetTable(const std::string& file, const std::string& variable,
                        std::string_view bytes);
  // Removes a file of aiter/configs from the next builds. Errors: file_unwritable.
  core::Status LeaveOut(const std::string& file);

  // Builds one module, which takes minutes. Calls `stop` several times a second.
  BuiltModule Build(const std::string& library, const std::function<bool()>& stop) const;

  // Replaces the old module by the built one. With `keep`, keeps the first replaced module for
  // PutModulesBack. Errors: file_unwritable.
  core::Status PutInPlace(const std::string& library, bool keep) const;

  const std::filesystem::path& jit() const { return jit_; }  // where AITER looks for modules
  const std::filesystem::path& log() const { return options_.log; }

 private:
  explicit ModuleBuilder(BuilderOptions options) : options_(std::move(options)) {}

  BuilderOptions options_;
  std::filesystem::path jit_, staging_;
  // the tree to build; some of AITER's code generators read the tables in its aiter/configs
  PrivateTree tree_;
  std::map<std::string, std::string> variables_;
  core::Fd lock_;
};

// AITER's folder of modules: $AITER_JIT_DIR, else `root`/aiter/jit if it is writable, else
// ~/.aiter/jit.
std::filesystem::path JitFolderOf(const std::filesystem::path& root);

// Restores the modules that PutInPlace kept, and returns their number. Errors: file_unwritable.
core::Result<std::size_t> PutModulesBack(const std::filesystem::path& jit);

// True if AITER_REBUILD=1 is set. Then AITER rebuilds every module, and --rebuild does the same.
bool RebuildsAll();

// Returns the manifest after a rebuild of every module. Errors: not_buildable (the tree has
// libraries but no candidate lists).
core::Result<core::Manifest> BuiltAgain(const core::Manifest& manifest);

struct InstallRebuild {
  core::Manifest manifest;                    // after PutInPlace; failed modules keep old kernels
  std::optional<ModuleBuilder> builder = {};  // empty: no row needs a rebuild
  std::vector<BuiltModule> modules = {};

  bool complete() const { return std::ranges::all_of(modules, &BuiltModule::built); }
  // Errors: file_unwritable.
  core::Status PutInPlace() const;
};

// For `install --rebuild`: builds each module that a row of `tables` needs, one after another.
// `tables`: the hub's tables for BuiltAgain(manifest). Leaves the tree unchanged. Errors:
// bad_bundle, those of ModuleBuilder::Open.
core::Result<InstallRebuild> RebuildModules(const Configuration& configuration,
                                            const core::Manifest& manifest,
                                            const std::filesystem::path& root,
                                            const std::map<std::string, std::string>& tables,
                                            const InstallPlan& plan, const std::string& gpu_archs);

}  // namespace tunehub::agent
