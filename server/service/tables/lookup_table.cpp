#include "server/service/tables/lookup_table.h"

#include <utility>
#include <vector>

namespace tunehub::service {

lookup::Table LookupTable(const RowSet& set) {
  std::vector<lookup::TableRow> rows;
  rows.reserve(set.rows.size());
  for (const auto& row : set.rows) {
    rows.push_back({row->line, row->us, row->standing, row->baseline});
  }
  return {*set.family, std::move(rows)};
}

}  // namespace tunehub::service
