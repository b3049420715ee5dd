// Makes pages of a family's tuned rows, for the web pages. (Builds fetch whole tables.)
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/family/family.h"
#include "server/snapshots/snapshot.h"
#include "server/tables/tuned_query.h"

namespace tunehub::server {

// Returns a tuned row as JSON: cells, target (if the target is not in the cells), standing and
// provider. Leaves out the reason why the row won, which may change without a revision. (GET
// /shapes has the reason.)
nlohmann::ordered_json RowJson(const core::Family& family, const TunedRow& row);

struct RowPageQuery {
  TunedQuery rows;       // only its options that filter rows
  std::string contains;  // text in the row's line; case does not matter; "": all rows
  std::string after;     // sort key of the previous page's last row; "": the first page
  std::size_t sort = core::kNoColumn;  // a column of the family; kNoColumn: the table's order
  bool descending = false;
  std::size_t offset = 0;  // rows before the page, if `after` is ""
  std::size_t limit = 0;
};

struct RowPage {
  std::size_t total = 0;  // rows of the query, on all pages
  std::vector<const TunedRow*> rows;
  // number of rows up to the page's end; if less than `total`, there is a next page
  std::size_t end = 0;
  std::string next;  // the next page's `after`; "": none
};

// The rows live as long as the snapshot. Numbers compare as numbers. Empty cells come last in both
// directions.
RowPage PageOf(const FamilySnapshot& snapshot, const RowPageQuery& query);

}  // namespace tunehub::server
