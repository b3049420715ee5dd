// Searches products, families, models and kernels by text, and shapes by their numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/insight/search_places.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

struct SearchHits {
  struct RowCounts {
    std::size_t all = 0;
    std::size_t baselines = 0;  // baselines among the rows
  };
  struct Kernel {
    const core::Family* family;
    std::string name;
    RowCounts rows;
  };
  struct Shape {
    const core::Family* family;
    std::map<std::size_t, std::string> cells;  // by column: the numbers in the text
    RowCounts rows;
  };
  std::vector<const core::Family*> families;
  PlaceHits named;  // models, layers and pages
  std::vector<const core::Device*> products;
  std::vector<Kernel> kernels;
  std::vector<Shape> shapes;
  std::optional<std::int64_t> revision;  // the number in "12" or "revision 12", if it exists
  std::optional<std::int64_t> run;       // the number in "12" or "run 12"; the run may not exist
};

// Returns at most `limit` hits of each kind. In names of families, models and products, the search
// compares only letters and digits. Numbers ("1280 5120", "16x1280x5120") match neighbouring shape
// columns of a row, and named numbers ("M=16 N=1280") their columns.
SearchHits Search(const Definitions& definitions, const SnapshotSet& set, std::string_view text,
                  std::size_t limit);

}  // namespace tunehub::server
