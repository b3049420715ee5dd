// The served tables as lookups see them: an index per family, made once for each snapshot.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/hash.h"
#include "core/lookup/table.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshot.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// By what a table's rows are known to be those of another one, when neither has its rows any more.
class RowDigests {
 public:
  // Of the rows that are served where nobody asks for a provider.
  explicit RowDigests(const FamilySnapshot& snapshot);

  // Of all rows that a lookup of the gfx may find: its own, and those of no gfx. Equal where these
  // rows are equal, in every cell and in what else a lookup sees of them.
  core::Hash128 Of(std::string_view gfx) const;

 private:
  std::map<std::string, core::Hash128, std::less<>> by_gfx_;
};

// It views the row's line.
inline lookup::TableRow LookedUp(const TunedRow& row) {
  return {row.line, row.us, row.standing, row.baseline, row.trusted};
}

// gfx and CU count.
using TargetPlaces = std::set<std::pair<std::string, int>>;

// The rows that are served where nobody asks for a provider.
struct DispatchTable {
  std::shared_ptr<const FamilySnapshot> snapshot;  // holds what the table views
  lookup::Table table;
  RowDigests rows;  // what was counted of a table is known by these, and holds no rows
  TargetPlaces targets;
};

std::shared_ptr<const DispatchTable> MakeDispatchTable(
    std::shared_ptr<const FamilySnapshot> snapshot);

class DispatchTables {
 public:
  DispatchTables(const Definitions& definitions, const Snapshots& snapshots)
      : definitions_(definitions), snapshots_(snapshots) {}

  // Throws as Snapshots::Current.
  std::shared_ptr<const DispatchTable> Current(const core::Family& family);
  bool Reads(const core::Family& family) const { return snapshots_.Reads(family); }

 private:
  const Definitions& definitions_;
  const Snapshots& snapshots_;
  std::mutex mutex_;  // also while an index is made: who waits would make the same
  std::map<std::int16_t, std::shared_ptr<const DispatchTable>> tables_;
};

}  // namespace tunehub::server
