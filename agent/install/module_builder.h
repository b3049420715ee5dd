// Builds modules of an AITER tree again by AITER's own JIT, from tables that need not be the tree's
// yet. Each is built beside the one that is there and takes its place only when it is done: a build
// that fails changes nothing.
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

// The table of kernels that AITER's code generator writes for a module (*_lookup.h): a shape, or a
// kernel's name, and the function that runs it.
// The kernel by its key, as written without spaces: "gfx942",304,16,1280,8192 or a name. Whatever
// is no row is passed over.
using LookupRows = std::map<std::string, std::string>;
LookupRows ReadLookupHeader(std::string_view header);

// Of all *_lookup.h below `folder`; empty where there is none.
LookupRows ReadLookupHeaders(const std::filesystem::path& folder);

struct LookupChange {
  // Keys; at most kMostKeys of each kind.
  std::vector<std::string> added, removed;
  std::vector<std::string> changed;                                          // "KEY: OLD -> NEW"
  std::size_t rows_added = 0, rows_removed = 0, rows_changed = 0, rows = 0;  // rows: afterwards
};
// More of one kind say nothing new.
inline constexpr std::size_t kMostKeys = 20;
LookupChange CompareLookups(const LookupRows& before, const LookupRows& after);

// "12 rows added, 3 removed, 5 with another kernel, 120 now"
std::string SummaryOf(const LookupChange& change);

struct BuilderOptions {
  std::filesystem::path root;  // holds aiter/jit
  std::string python = "python3";
  std::string gpu_archs;      // GPU_ARCHS; "": as it is set already
  std::filesystem::path log;  // of every build, appended; empty: beside the modules
};

struct BuiltModule {
  std::string library;  // "module_gemm_a8w8"
  bool built = false;
  std::string why;      // where it was not: the build's last words
  LookupChange lookup;  // what of the compiled table, or the registry, is new
};

class ModuleBuilder {
 public:
  // Errors: no_jit (the tree has no aiter/jit/core.py), busy (another is building in it),
  // file_unwritable, file_unreadable.
  static core::Result<ModuleBuilder> Open(BuilderOptions options);
  ModuleBuilder(ModuleBuilder&&) = default;
  ModuleBuilder& operator=(ModuleBuilder&&) = default;
  ModuleBuilder(const ModuleBuilder&) = delete;
  ModuleBuilder& operator=(const ModuleBuilder&) = delete;
  ~ModuleBuilder();  // removes what was built and not put in place

  // A table that the next builds are made from, in the place of the tree's own: its file in
  // aiter/configs, its variable (AITER_CONFIG_GEMM_A8W8), its bytes. Errors: file_unwritable.
  core::Status SetTable(const std::string& file, const std::string& variable,
                        std::string_view bytes);
  // A file of aiter/configs that the next builds do without. Errors: file_unwritable.
  core::Status LeaveOut(const std::string& file);

  // Takes minutes; `stop` is asked several times a second.
  BuiltModule Build(const std::string& library, const std::function<bool()>& stop) const;

  // A module that was built takes the place of the old one, which is kept for PutBack if `keep`;
  // of several the first. Errors: file_unwritable.
  core::Status PutInPlace(const std::string& library, bool keep) const;

  const std::filesystem::path& jit() const { return jit_; }  // where AITER looks for modules
  const std::filesystem::path& log() const { return options_.log; }

 private:
  explicit ModuleBuilder(BuilderOptions options) : options_(std::move(options)) {}

  BuilderOptions options_;
  std::filesystem::path jit_, staging_;
  PrivateTree tree_;  // what is built: some of AITER's generators read aiter/configs themselves
  std::map<std::string, std::string> variables_;
  core::Fd lock_;
};

// Where AITER keeps its modules: $AITER_JIT_DIR, else `root`/aiter/jit where that can be written
// to, else ~/.aiter/jit.
std::filesystem::path JitFolderOf(const std::filesystem::path& root);

// Puts the modules that were kept back where they were; how many. Errors: file_unwritable.
core::Result<std::size_t> PutModulesBack(const std::filesystem::path& jit);

// AITER_REBUILD=1: AITER builds every module again, and so does who is asked to rebuild.
bool RebuildsAll();

// The build that a tree would be if every module of it were built again. Errors: not_buildable (the
// tree has libraries and no candidate lists).
core::Result<core::Manifest> BuiltAgain(const core::Manifest& manifest);

struct InstallRebuild {
  core::Manifest
      manifest;  // of the tree once PutInPlace is done: its rows need nothing that failed
  std::optional<ModuleBuilder> builder = {};  // nothing: no row waits
  std::vector<BuiltModule> modules = {};

  bool complete() const { return std::ranges::all_of(modules, &BuiltModule::built); }
  // Errors: file_unwritable.
  core::Status PutInPlace() const;
};

// For `install --rebuild`: builds each module that a row of `tables`, those for
// BuiltAgain(manifest), waits for, one after the other: the tree is not changed yet. Errors:
// bad_bundle, those of ModuleBuilder::Open.
core::Result<InstallRebuild> RebuildModules(const Configuration& configuration,
                                            const core::Manifest& manifest,
                                            const std::filesystem::path& root,
                                            const std::map<std::string, std::string>& tables,
                                            const InstallPlan& plan, const std::string& gpu_archs);

}  // namespace tunehub::agent
