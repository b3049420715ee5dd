// tunehub-agent capture --hits: which rows of a table AITER's log says that it found, and which
// never.
#pragma once

#include <functional>
#include <vector>

#include "agent/base/command.h"
#include "agent/capture/capture.h"
#include "agent/hub/hub_client.h"
#include "core/analysis/hits.h"
#include "core/lookup/loaded_table.h"
#include "core/lookup/table.h"
#include "core/misses/miss_log.h"

namespace tunehub::agent {

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
