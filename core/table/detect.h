// Which family a CSV belongs to: by its file name, as AITER goes, then its header, then its kernel
// names. A tuned table that no family describes is carried line by line, as rows of the one family
// whose `lines` are "csv", and written back as the file that it was.
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

// Errors: unknown_family (a name as of WhyForeign, or nothing matches; names the header),
// ambiguous_family (names the candidates and says what to pass). `file_name` may be a path or
// empty.
Result<const Family*> DetectFamily(const Families& families, std::string_view file_name,
                                   std::string_view csv);

// The family whose table AITER takes a file for: directly in a folder `configs` by the exact name,
// elsewhere by the longest token in a name without "untuned". Null: none.
const Family* FamilyOfFileName(const Families& families, std::string_view path);

// Why a file is no family's whatever its header: its name is a tuned table's, and of no family that
// is known here. "" where the name is a family's, or says nothing (my.csv, tuned.csv).
std::string WhyForeign(const Families& families, std::string_view path);

// A family file for a table that none describes, as far as the table says it: to be finished by
// hand. `name`: the table's file name. `untuned`: the text of its untuned table, whose columns
// become the shape; "": the columns before the first that names a kernel, a library or a time do.
// Types follow from the values of all rows. The lookup is "exact", the metric "none". Errors: those
// of CheckTableText and CsvReader, bad_family where the columns make none (no gfx, say).
Result<std::string> DraftFamily(std::string_view name, std::string_view csv,
                                std::string_view untuned);

// What a row's key says that it is.
enum class LineKind {
  kKeyed,    // a row: another may have its key, and the faster one is served
  kUnkeyed,  // a row whose key is the line itself: nothing competes with it
  kHeader,   // of a table without rows
  kComment,  // a line that begins with #
};
LineKind KindOfLine(std::string_view key);

// The table's name, "x_tuned" of "aiter/configs/model_configs/x_tuned.csv", where AITER reads such
// a file for no family: directly in `configs` or its `model_configs`; elsewhere its name must be a
// tuned table's.
// "": nothing is carried under that name.
std::string UnlistedStem(const Families& families, std::string_view path);
// "x_untuned.csv" of "x_tuned.csv", as AITER finds it: by the last "tuned". "": it has none.
std::string UntunedName(std::string_view path);

struct UnlistedFile {
  std::string path;  // as for UnlistedStem, which is not ""
  std::string_view text;
  std::string_view untuned;  // of the file by UntunedName; "": there is none
};

struct UnlistedTable {
  std::string csv;                 // a table of the family
  std::vector<std::size_t> lines;  // of the file: of each line of `csv` behind its header
  std::vector<RowIssue> rejected;  // rows that have more fields than the header
};

// Errors refuse the file: those of CheckTableText and CsvReader, bad_header (less than two columns,
// or one that is no word or comes twice).
Result<UnlistedTable> ReadUnlisted(const Family& family, const UnlistedFile& file);

// The file of one table's rows (Row::line), by path and place: the same bytes where they are all of
// one file, with LF. Of several files with other columns each has all of them, as pandas does it.
std::string WriteUnlisted(const Family& family, std::span<const std::string_view> lines);

}  // namespace tunehub::core
