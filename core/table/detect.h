// Detects the family of a CSV file by the file's name (as AITER does), then by its header, then by
// its kernel names. Each line of an unlisted table becomes a row of the family whose `lines` are
// "csv". The hub writes those rows back as the same file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/family/families.h"
#include "core/row/row.h"

namespace tunehub::core {

// Errors: unknown_family (another table's name, or no match), which quotes the header;
// ambiguous_family, which lists the possible families and the option to pass. `file_name` may be a
// path or empty.
Result<const Family*> DetectFamily(const Families& families, std::string_view file_name,
                                   std::string_view csv);

// Returns the family of a file by AITER's rule; null: none. A file directly in a folder `configs`
// needs the family's exact file name. Elsewhere the family with the longest Family::token in the
// name wins, unless the name contains "untuned".
const Family* FamilyOfFileName(const Families& families, std::string_view path);

// Says why the file can have no family, with any header. Its name is the name of a tuned table, but
// no known family has this table. Returns "" for a family's table and for a name without meaning
// (my.csv, tuned.csv).
std::string WhyForeign(const Families& families, std::string_view path);

// Drafts a family file for an unlisted table, for a person to finish. The lookup is "exact", the
// metric "none". Types follow from the values of all rows.
// * `name`: the table's file name.
// * `untuned`: the text of the untuned table. Its columns become the shape. If it is "", the
//   columns before the first kernel, library or time become the shape.
// Errors: as CheckTableText and CsvReader; bad_family if the columns do not form a family (for
// example, gfx is missing).
Result<std::string> DraftFamily(std::string_view name, std::string_view csv,
                                std::string_view untuned);

// The kind of an unlisted table's line, by its key.
enum class LineKind {
  kKeyed,    // a row; the fastest row of its key is served
  kUnkeyed,  // a row whose key is its own digest; it competes with no row
  kHeader,   // the header of a table without rows
  kComment,  // a line that begins with #
};
LineKind KindOfLine(std::string_view key);

// Returns the table's name: "x_tuned" for "aiter/configs/model_configs/x_tuned.csv". Returns ""
// unless the file is an unlisted table: no family reads it, and it is directly in `configs` or
// `configs/model_configs`, or has a tuned table's name.
std::string UnlistedStem(const Families& families, std::string_view path);
// Returns "x_untuned.csv" for "x_tuned.csv". Replaces the last "tuned", as AITER does. Returns ""
// if the name lacks "tuned".
std::string UntunedName(std::string_view path);

struct UnlistedFile {
  std::string path;  // with a non-empty UnlistedStem
  std::string_view text;
  std::string_view untuned;  // text of the file named UntunedName; "": none
};

struct UnlistedTable {
  std::string csv;                 // a table of the family
  std::vector<std::size_t> lines;  // per row of `csv`: its line in the file
  std::vector<RowIssue> rejected;  // rows with more fields than the header
};

// These errors refuse the whole file: those of CheckTableText and CsvReader, empty_table,
// duplicate_column, bad_header (fewer than two columns, or a column's name is not a word).
Result<UnlistedTable> ReadUnlisted(const Family& family, const UnlistedFile& file);

// Writes the rows of one table (Row::line) as a file, sorted by path and place. Rows of one file
// give the same bytes as that file, with LF. If the files have different columns, every row gets
// the columns of all files, as in pandas.
std::string WriteUnlisted(const Family& family, std::span<const std::string_view> lines);

}  // namespace tunehub::core
