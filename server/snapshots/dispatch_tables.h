// Makes indexes of served tables for lookups: one index for each family and snapshot.
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

// Digests that identify a table's rows without keeping the rows.
class RowDigests {
 public:
  // Covers the rows of default providers.
  explicit RowDigests(const FamilySnapshot& snapshot);

  // Returns the digest of all rows that a lookup of the gfx may find: the gfx's own rows, and rows
  // without a gfx. Equal digests mean that the rows have equal cells, and equal other values that a
  // lookup reads.
  core::Hash128 Of(std::string_view gfx) const;

 private:
  std::map<std::string, core::Hash128, std::less<>> by_gfx_;
};

// Targets as pairs of gfx and CU count.
using TargetPlaces = std::set<std::pair<std::string, int>>;

// The rows of default providers, with an index for lookups.
struct DispatchTable {
  std::shared_ptr<const FamilySnapshot> snapshot;  // owns the viewed lines
  lookup::Table table;
  RowDigests rows;
  TargetPlaces targets;
};

std::shared_ptr<const DispatchTable> MakeDispatchTable(
    std::shared_ptr<const FamilySnapshot> snapshot);

class DispatchTables {
 public:
  DispatchTables(const Definitions& definitions, const Snapshots& snapshots)
      : definitions_(definitions), snapshots_(snapshots) {}

  // Throws the same exceptions as Snapshots::Current.
  std::shared_ptr<const DispatchTable> Current(const core::Family& family);
  bool Reads(const core::Family& family) const { return snapshots_.Reads(family); }

 private:
  const Definitions& definitions_;
  const Snapshots& snapshots_;
  std::mutex mutex_;  // locked while a thread makes an index: waiting threads need it
  std::map<std::int16_t, std::shared_ptr<const DispatchTable>> tables_;
};

}  // namespace tunehub::server
