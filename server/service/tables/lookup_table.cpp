#include "server/service/tables/lookup_table.h"

#include <utility>
#include <vector>

#include "server/service/analysis/dispatch_tables.h"

namespace tunehub::service {

lookup::Table LookupTable(const RowSet& set) {
  std::vector<lookup::TableRow> rows;
  rows.reserve(set.rows.size());
  for (const auto& row : set.rows) rows.push_back(LookedUp(*row));
  return {*set.family, std::move(rows)};
}

}  // namespace tunehub::service
