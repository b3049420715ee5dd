// The tables that an AITER tree has of one family, and new rows for them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/aiter/aiter_tree.h"
#include "agent/device/measurement.h"
#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/table/tuned_table.h"

namespace tunehub::agent {

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

}  // namespace tunehub::agent
