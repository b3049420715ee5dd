// Writes a tuned table as AITER reads it: the family's canonical header, LF, one line for each row.
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

// Maps the columns of one file to the columns of a family, by name and never by position.
struct TableHeader {
  std::vector<std::size_t> column_of_field;  // index into Family::columns; kNoColumn: ignored
  std::vector<bool> present;                 // per column of the family
  bool ends_in_tag = false;                  // a row may lack the tag, its last field
  // Unknown columns. The reader drops them from every row; AITER keeps them but never reads them.
  std::vector<RowIssue> unknown;
};

// A family with cu_num may lack gfx: the reader then derives gfx for each row. Skips the family's
// ignored columns and "Unnamed: N", which pandas adds. Errors: duplicate_column, missing_column,
// key_column, each with the column's name and the header's `line`.
Result<TableHeader> MapHeader(const Family& family, std::span<const std::string_view> fields,
                              std::size_t line = 1);

// Joins the cells to one CSV line, without a line feed.
std::string JoinCells(const Cells& cells);

// Splits a line of JoinCells. The fields point into `line`, or into `scratch` if a field is quoted.
Cells SplitLine(std::string_view line, std::string& scratch);

// Returns one field of SplitLine, but faster. Precondition: the field exists.
std::string_view CellOf(std::string_view line, std::size_t column, std::string& scratch);

struct WriteOptions {
  bool without_gfx = false;  // the header of AITER before v0.1.12.post2
};

// Writes the header and the lines. `lines` are Row::line in their final order. Omits an optional
// column if no line has a value for it.
std::string WriteTable(const Family& family, std::span<const std::string_view> lines,
                       const WriteOptions& options = {});

}  // namespace tunehub::core
