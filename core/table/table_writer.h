// Writes a tuned table as AITER reads it: the family's canonical header, LF, one line a row.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/family.h"
#include "core/row/row.h"

namespace tunehub::core {

// How the columns of one file map onto those of a family: by name, never by position.
struct TableHeader {
  std::vector<std::size_t> column_of_field;  // index into Family::columns; kNoColumn: ignored
  std::vector<bool> present;                 // per column of the family
  bool ends_in_tag = false;                  // a row may lack that last field
  // Unknown columns, which are left out of every row; AITER would carry them along unread.
  std::vector<RowIssue> unknown;
};

// Errors: duplicate_column, missing_column, key_column, each with the column's name and the
// header's `line`. A family with cu_num may lack gfx (backfilled per row). Skips the family's
// ignored columns and "Unnamed: N", which pandas leaves behind.
Result<TableHeader> MapHeader(const Family& family, std::span<const std::string_view> fields,
                              std::size_t line = 1);

// The cells as one CSV line, without line feed.
std::string JoinCells(const Cells& cells);

// The fields of one line that JoinCells wrote. They view `line`, or `scratch` if a field is quoted.
Cells SplitLine(std::string_view line, std::string& scratch);

// One field of SplitLine, faster. Precondition: it exists.
std::string_view CellOf(std::string_view line, std::size_t column, std::string& scratch);

struct WriteOptions {
  bool without_gfx = false;  // the header of AITER before v0.1.12.post2
};

// Header and lines. `lines` are Row::line, in their final order. An optional column is written only
// if some line has a value for it.
std::string WriteTable(const Family& family, std::span<const std::string_view> lines,
                       const WriteOptions& options = {});

}  // namespace tunehub::core
