// tunehub-agent capture --hits: which rows of a table AITER's log says that it found, and which
// never.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/hub/hub_client.h"
#include "core/analysis/hits.h"
#include "core/lookup/table.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

// What `capture --hits` says of a log.
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

// The rows that a log's lines are compared with.
struct HitTables {
  // Families that are reported also where no line is of them.
  std::vector<const core::Family*> families;
  // The table of a family; null: the lines alone are reported.
  std::function<core::Result<lookup::LoadedTable>(const core::Family&)> read;
};

// Of files, those of one family merged as AITER would. Errors: those of reading them and of telling
// their family; no_hit_lines (the family's lookups say nothing in a log).
core::Result<HitTables> TablesOfFiles(const Configuration& configuration,
                                      const CaptureOptions& options);
// What the hub serves for the options' target.
HitTables TablesOfHub(const Configuration& configuration, const CaptureOptions& options,
                      HubClient& hub, const RetryPolicy& retry, const Pauses& pauses);

// Ends with kFinding where lines could not be read, or found what the table does not have.
int CaptureHits(const Configuration& configuration, const CaptureOptions& options,
                const HitTables& tables, Console& console);

}  // namespace tunehub::agent
