// Finds, by an engine's log, the rows of a table that the engine used and the rows that it never
// used.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/lookup/table.h"
#include "core/misses/miss_log.h"

namespace tunehub::analysis {

// A hit that no row of the table explains.
struct StrayHit {
  const core::MissShape* hit = nullptr;
  bool other_kernel = false;  // true: its shape key has another config; false: no row
};

struct TableHits {
  std::vector<std::uint64_t> found;  // per row of the table: number of lines
  std::vector<bool> asked;           // per row: true if some line may be for the row's target
  std::vector<StrayHit> strays;
};

// A line without gfx or CU count matches any target. Several rows may differ only in columns that
// the lookup does not compare. Then the line counts for one row with the line's config. This is the
// row that is most like the line, or in a tie the first row. `hits` must belong to the table's
// family and outlive the result.
TableHits MatchHits(const lookup::Table& table, std::span<const core::MissShape> hits);

// Clears `asked` for rows with another gfx or CU count than `target`; "": any.
void KeepTarget(const lookup::Table& table, const core::MissShape& target, TableHits& hits);

}  // namespace tunehub::analysis
