// Several sorted runs become one sequence of rows with unique keys.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/merge/merge.h"
#include "core/merge/sorted_run.h"

namespace tunehub::core {

// The rows whose keys lie between two bounds.
struct MergedRange {
  std::vector<std::string_view> lines;
  std::vector<Duplicate> duplicates;
};

// Ranges in key order, merged by as many threads. Of rows with one key the winner rule takes one;
// what it leaves open the first run wins, as the first file does in AITER.
std::vector<MergedRange> MergeRuns(std::span<const std::unique_ptr<SortedRun>> runs,
                                   std::size_t threads);

}  // namespace tunehub::core
