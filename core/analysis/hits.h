// Which rows of a table the lines of a log found, and which they never did.
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
  bool other_kernel = false;  // the table has its key, with another config; else it has no such key
};

struct TableHits {
  std::vector<std::uint64_t> found;  // by row of the table: how many lines found it
  std::vector<bool> asked;           // the row is of a target that some line may be of
  std::vector<StrayHit> strays;
};

// A line that does not say its gfx or its CU count may be of any. Of rows that differ only in what
// the family's lookup does not compare, the first with the line's kernel was found. `hits` must be
// of the table's family, and outlive the answer.
TableHits MatchHits(const lookup::Table& table, std::span<const core::MissShape> hits);

// Takes the rows out of `asked` that are not of the gfx and CU count of `target`; "" is any.
void KeepTarget(const lookup::Table& table, const core::MissShape& target, TableHits& hits);

}  // namespace tunehub::analysis
