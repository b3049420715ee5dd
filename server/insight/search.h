// What a text is the name of: products, families, models, kernels; and what numbers are the shape
// of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

struct SearchHits {
  struct RowCounts {
    std::size_t all = 0;
    std::size_t baselines = 0;  // of them
  };
  struct Kernel {
    const core::Family* family;
    std::string name;
    RowCounts rows;
  };
  struct Shape {
    const core::Family* family;
    std::map<std::size_t, std::string> cells;  // by column: where the numbers stand
    RowCounts rows;
  };
  std::vector<const core::Family*> families;
  std::vector<std::string> models;
  std::vector<const core::Device*> products;
  std::vector<Kernel> kernels;
  std::vector<Shape> shapes;
  std::optional<std::int64_t> revision;  // "12", "revision 12", where there is one
  std::optional<std::int64_t> run;       // "12", "run 12", whether or not there is one
};

// At most `limit` of each. Families, models and products are found in any spelling: their letters
// and digits count alone. Numbers ("1280 5120", "16x1280x5120") are taken as neighbouring shape
// columns of one row, whatever stands between them in the text.
SearchHits Search(const Definitions& definitions, const SnapshotSet& set, std::string_view text,
                  std::size_t limit);

}  // namespace tunehub::server
