// Which rows of a table an engine found, by its log, and which it never did.
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
  bool other_kernel = false;  // true: its shape key has another config; false: it has no row
};

struct TableHits {
  std::vector<std::uint64_t> found;  // by row of the table: number of lines
  std::vector<bool> asked;           // by row: some line may be of the row's target
  std::vector<StrayHit> strays;
};

// A line without gfx or CU count matches any. If rows differ only in columns that the lookup does
// not compare, the line counts for one row with its config: the row most like the line, at a tie
// the first. `hits` must be of the table's family, and outlive the result.
TableHits MatchHits(const lookup::Table& table, std::span<const core::MissShape> hits);

// Clears `asked` for rows of another gfx or CU count than those of `target`; "": any.
void KeepTarget(const lookup::Table& table, const core::MissShape& target, TableHits& hits);

}  // namespace tunehub::analysis
