// Pages of a family's tuned rows, for the web page. Builds fetch whole tables.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/family/family.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// A tuned row as JSON: cells, target (if it is no cell), standing and provider. Leaves out the
// reason why it won: the reason may change without a revision, and /shapes has it.
nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row);

struct RowPageQuery {
  TunedQuery rows;       // only its options that filter rows
  std::string contains;  // text in the row's line, case-insensitive; "": all
  std::string after;     // order key of the previous page's last row; "": the first page
  std::size_t sort = core::kNoColumn;  // a column of the family; none: the table's order
  bool descending = false;
  std::size_t offset = 0;  // rows before the page, if `after` is ""
  std::size_t limit = 0;
};

struct RowPage {
  std::size_t total = 0;  // rows of the query, on all pages
  std::vector<const TunedRow*> rows;
  std::size_t end = 0;  // rows up to the page's end; less than `total`: there are more
  std::string next;     // the next page's `after`; "": none
};

// The rows live as long as the snapshot. Numbers compare as numbers; empty cells come last in
// either direction.
RowPage PageOf(const FamilySnapshot& snapshot, const RowPageQuery& query);

}  // namespace tunehub::server
