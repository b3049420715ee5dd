// Tuned tables of the command line, merged as AITER would, as its lookup sees them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/configuration.h"
#include "core/dispatch/table.h"
#include "core/result.h"
#include "core/shape.h"
#include "core/tuned_table.h"

namespace tunehub::agent {

struct LookupTable {
  std::unique_ptr<core::TunedTable> rows;  // what the table views
  dispatch::Table table;
};

// `family` "": what the files tell. Errors: those of reading, CommonFamily and MergeTables.
core::Result<LookupTable> ReadLookupTable(const Configuration& configuration,
                                          const std::string& family,
                                          const std::vector<std::string>& files);

// gfx with its features stripped; cu_num 0: the usual one of the gfx, and of a family without CU
// counts none. Errors: bad_gfx, bad_cu_num.
core::Result<core::DemandTarget> TargetToLookUp(const Configuration& configuration,
                                                const core::Family& family, const std::string& gfx,
                                                int cu_num);

}  // namespace tunehub::agent
