// The tuned rows of a family page by page, for people: the table itself is for builds.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/family/family.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// A tuned row as JSON: its cells, with its target (where that is no cell), standing and provider
// beside. Not why it won: that changes with rows that lose, and so without a revision (/shapes
// tells it).
nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row);

struct RowPageQuery {
  TunedQuery rows;       // of its options only those that leave rows out
  std::string contains;  // the row's line has this text, in any case; "": all
  std::string after;     // the order of the last row of the page before; "": from the first on
  std::size_t sort = core::kNoColumn;  // by this column of the family; none: as the table has them
  bool descending = false;
  std::size_t offset = 0;  // rows before the page; counts where `after` is ""
  std::size_t limit = 0;
};

struct RowPage {
  std::size_t total = 0;  // rows of the query, on all pages
  std::vector<const TunedRow*> rows;
  std::size_t end = 0;  // rows up to the end of this page; below `total` there are more
  std::string next;     // the place behind it in the table's order; "": there is none
};

// The rows live as long as the snapshot. Numbers are compared as numbers; a row whose cell is empty
// comes last either way.
RowPage PageOf(const FamilySnapshot& snapshot, const RowPageQuery& query);

}  // namespace tunehub::server
