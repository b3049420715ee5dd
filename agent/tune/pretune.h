// `pretune all|MODULE,...|--list`: what AITER's PRETUNE_MODULES does, by AITER's own scripts and
// JIT: every shape of a module's table is tuned on this GPU, the table gets the winners, and the
// modules whose kernels changed are built again. Needs no hub.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/base/command.h"
#include "agent/device/device.h"
#include "agent/search/tune_command.h"
#include "core/base/result.h"
#include "core/family/families.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

// The tables that an AITER tree has of one family, and new rows for them.
class TreeTables {
 public:
  // `targets` must outlive it. Errors: no_table, file_unreadable, those of core::ReadTunedTable.
  static core::Result<TreeTables> Read(const FamilyFiles& files, const core::Targets& targets);

  // Each shape that a row is for, whatever its target, once.
  std::vector<Columns> Shapes() const;

  // AITER's libraries whose compiled table, or registry, the rows of `csv` (the family's header)
  // change: other kernels than the tree's rows of the same keys name. Errors: those of
  // core::ReadTunedTable.
  core::Result<std::set<std::string>> LibrariesOf(std::string_view csv) const;

  // Everything that AITER would merge, with the rows of `csv` in the places of those with the same
  // keys, as one file. Errors: lossy_table, file_unwritable.
  core::Status WriteMerged(std::string_view csv, const std::filesystem::path& file) const;

  // The same where the rows stand: a row of a known key goes into the file that has it, so that no
  // key is in two; others go into the default file. Errors: as WriteMerged.
  core::Status PutInPlace(std::string_view csv) const;

 private:
  struct Table {
    std::filesystem::path path;
    core::TunedTable rows;
  };
  TreeTables(const core::Family& family, const core::Targets& targets)
      : family_(&family), targets_(&targets) {}
  struct Place {
    std::size_t table = 0, row = 0;
  };

  const core::Family* family_;
  const core::Targets* targets_;
  std::vector<Table> tables_;            // the default file first
  std::map<std::string, Place> places_;  // of rows, by Row::order; the first of equal keys
};

// The modules that AITER's PRETUNE_MODULES names: module_*_tune of a tree's optCompilerConfig.json,
// each the tuner's side of a module that has a table.
struct PretuneModule {
  std::string name;                      // "module_gemm_a8w8_tune"
  const core::Family* family = nullptr;  // whose table is tuned; null: see why_not
  std::string why_not;                   // why it cannot be tuned; "": it can
};

// In the order of the tree's file. Errors: no_modules (there is no such file, or it is no JSON).
core::Result<std::vector<PretuneModule>> ListPretuneModules(const core::Families& families,
                                                            const std::filesystem::path& aiter);

// "all", or names between commas, also without "module_" and "_tune"; several of one family are
// tuned once. Errors: unknown_module (with those that there are), unsupported_module.
core::Result<std::vector<const core::Family*>> ChooseFamilies(
    const std::vector<PretuneModule>& modules, std::string_view wanted);

// The modules that there are, and why some cannot be tuned. The exit code.
int ListModules(const TuneOptions& options, Console& console);

// `modules`: "all", or names between commas. 0: every shape has a row and every module is built;
// 1: some shapes or modules failed, a table whose module could not be built is as it was; 2: it
// could not be done.
int PretuneModules(TuneOptions options, const std::string& modules, Console& console);

}  // namespace tunehub::agent
