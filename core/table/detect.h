// Detects a CSV's family: by its file name, as AITER does, then its header, then its kernel names.
// Lines of an unlisted table become rows of the family whose `lines` are "csv", and are written
// back as the same file.
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

// Errors: unknown_family (a foreign name, or no match; quotes the header), ambiguous_family (names
// the candidates and what to pass). `file_name` may be a path or empty.
Result<const Family*> DetectFamily(const Families& families, std::string_view file_name,
                                   std::string_view csv);

// The family of a file by AITER's rule: directly in a folder `configs` by the exact name, elsewhere
// by the longest token in a name without "untuned". Null: none.
const Family* FamilyOfFileName(const Families& families, std::string_view path);

// Why a file is of no family, whatever its header: its name is that of a tuned table, but of no
// known family. "" for a family's name, or one that says nothing (my.csv, tuned.csv).
std::string WhyForeign(const Families& families, std::string_view path);

// Drafts a family file for an unlisted table, to be finished by hand. `name`: the table's file
// name. `untuned`: the text of the untuned table, whose columns become the shape. If it is "", the
// shape is the columns before the first kernel, library or time. Types follow from the values of
// all rows. The lookup is "exact", the metric "none". Errors: those of CheckTableText and
// CsvReader; bad_family if the columns make no family (no gfx, for example).
Result<std::string> DraftFamily(std::string_view name, std::string_view csv,
                                std::string_view untuned);

// The kind of an unlisted table's line, by its key.
enum class LineKind {
  kKeyed,    // a row; the fastest row of its key is served
  kUnkeyed,  // a row whose key is its own digest: no other row competes
  kHeader,   // the header of a table without rows
  kComment,  // a line that begins with #
};
LineKind KindOfLine(std::string_view key);

// The table's name, "x_tuned" for "aiter/configs/model_configs/x_tuned.csv"; "": no unlisted table.
// The file must be of no family, and lie directly in `configs` or its `model_configs`, or have a
// tuned table's name elsewhere.
std::string UnlistedStem(const Families& families, std::string_view path);
// "x_untuned.csv" for "x_tuned.csv", by the last "tuned" as in AITER; "": no "tuned" in the name.
std::string UntunedName(std::string_view path);

struct UnlistedFile {
  std::string path;  // with a non-empty UnlistedStem
  std::string_view text;
  std::string_view untuned;  // text of the file UntunedName; "": none
};

struct UnlistedTable {
  std::string csv;                 // a table of the family
  std::vector<std::size_t> lines;  // the file's line of each row of `csv`
  std::vector<RowIssue> rejected;  // rows that have more fields than the header
};

// Errors refuse the file: those of CheckTableText and CsvReader, empty_table, duplicate_column,
// bad_header (less than two columns, or one that is no word).
Result<UnlistedTable> ReadUnlisted(const Family& family, const UnlistedFile& file);

// Writes one table's rows (Row::line) as a file, sorted by path and place. Rows of one file give
// its own bytes, with LF. If files differ in columns, every row gets all columns, as in pandas.
std::string WriteUnlisted(const Family& family, std::span<const std::string_view> lines);

}  // namespace tunehub::core
