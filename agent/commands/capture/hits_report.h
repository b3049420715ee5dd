// What `capture --hits` says of a log.
#pragma once

#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "core/analysis/hits.h"
#include "core/lookup/loaded_table.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

struct HitsOfFamily {
  const core::Family* family = nullptr;
  std::vector<core::MissShape> hits;
  std::unique_ptr<lookup::LoadedTable> table;  // null: there is none to compare with
  analysis::TableHits matched;                 // of `table`
};

// Per family the rows that were found, the most frequent first, and of each other kind the first.
void PrintHits(std::ostream& out, const core::MissCounts& counts,
               std::span<const HitsOfFamily> families);

// All of them:
// {"lines": 9, "hits": 7, ..., "families": [{"family": "a8w8", "rows": 3, "found": [{"gfx":
// "gfx942",
//  "cu_num": "304", "shape": {"M": "16", ...}, "config": {"kernelName": "k"}, "count": 7}],
//  "never": [...], "unexplained": [{..., "table_has_key": true}]}]}; without a table no "rows".
nlohmann::ordered_json HitsJson(const core::MissCounts& counts,
                                std::span<const HitsOfFamily> families);

}  // namespace tunehub::agent
