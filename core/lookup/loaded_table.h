// Tuned tables of files, merged as AITER would, as its lookup sees them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/family/targets.h"
#include "core/lookup/table.h"
#include "core/merge/merge.h"
#include "core/table/tuned_table.h"

namespace tunehub::lookup {

struct LoadedTable {
  std::unique_ptr<core::TunedTable> rows;  // what the table views
  Table table;
  // What no lookup will find, by file: rows that could not be typed, and quarantined ones.
  std::vector<core::FileIssues> left_out;
};

// `family` must outlive it. Errors: those of MergeTables.
core::Result<LoadedTable> LoadTable(const core::Family& family, const core::Targets& targets,
                                    std::span<const core::SourceFile> sources);

}  // namespace tunehub::lookup
