// How the columns of one file map onto those of a family: by name, never by position.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/row/row_issue.h"

namespace tunehub::core {

struct TableHeader {
  std::vector<std::size_t> column_of_field;  // index into Family::columns; kNoColumn: ignored
  std::vector<bool> present;                 // per column of the family
  bool ends_in_tag = false;                  // a row may lack that last field
  // What the family does not know and AITER would carry along unread: left out of every row.
  std::vector<RowIssue> unknown;
};

// Errors: duplicate_column, missing_column, each with the column's name and `line`,
// the header's. A family
// with cu_num may lack gfx (it is backfilled per row); "Unnamed: N" columns, which pandas leaves
// behind, and the family's ignored columns are passed over.
Result<TableHeader> MapHeader(const Family& family, std::span<const std::string_view> fields,
                              std::size_t line = 1);

}  // namespace tunehub::core
