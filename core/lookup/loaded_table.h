// Tuned tables of files, merged as AITER would, as its lookup sees them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/family/targets.h"
#include "core/lookup/table.h"
#include "core/shapes/shape.h"
#include "core/table/merge.h"
#include "core/table/tuned_table.h"

namespace tunehub::lookup {

// `gfx`: as core::NamedTarget takes it; cu_num 0: the product's, else the usual one of the gfx, and
// of a family without CU counts none. Errors: bad_gfx, bad_cu_num.
core::Result<core::Target> TargetToLookUp(const core::Targets& targets, const core::Family& family,
                                          std::string_view gfx, int cu_num);

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
