// Reads and writes CSV (RFC 4180) as in AITER's tables. Accepts LF, CRLF and a missing final line
// feed; trims blanks; skips blank lines, "# ..." lines and rows of empty fields.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// "line 3: a git conflict marker". `column`: the name of the column concerned; "": none.
Error AtLine(std::string code, std::size_t line, std::string_view what,
             std::string_view column = {});

// "line 3, field 9: a NUL byte".
Error AtField(std::string code, std::size_t line, std::size_t field, std::string_view what);

// "line 1: the column 'gfx' comes twice".
Error DuplicateColumn(std::size_t line, std::string_view column);

// "line 9: more than 8 rows".
Error TooManyRows(std::size_t line, std::size_t most);

// For a field of `bytes`, above the limit `most`.
Error FieldTooLong(std::size_t line, std::size_t field, std::size_t bytes, std::size_t most);

// Adds the column's name if the error has a field that the header of `csv` names.
Error NameColumn(Error error, std::string_view csv);

// Longer than any kernel name (the longest in AITER's tables has 340 bytes), short enough for a
// message.
inline constexpr std::size_t kMaxFieldBytes = 4096;

struct CsvRecord {
  std::size_t line = 0;                  // of its first byte, from 1
  std::string_view text;                 // the whole record, without its line end
  std::vector<std::string_view> fields;  // trimmed, unquoted
};

class CsvReader {
 public:
  // `text` must outlive the reader and every record. A UTF-8 byte order mark is skipped.
  explicit CsvReader(std::string_view text);
  // Starts within a text: at byte `position`, where line number `line` begins.
  CsvReader(std::string_view text, std::size_t position, std::size_t line)
      : text_(text), position_(position), line_(line) {}

  // Fills `record` with the next one; false at the end. The fields' storage lives until the next
  // call. Errors: csv_unterminated_quote, csv_text_after_quote, csv_field_too_long, each with line
  // and field.
  Result<bool> Next(CsvRecord& record);

  // Reads the header of a table: as Next, but error empty_table if there is no record.
  Status First(CsvRecord& record);

  // Sets the limit of a field, for tables with documents.
  void AllowFields(std::size_t bytes) { most_bytes_ = bytes; }

  // The place of the first unread byte, and its line.
  std::size_t position() const { return position_; }
  std::size_t line() const { return line_; }

 private:
  void SkipComments();
  Result<bool> ReadRecord(CsvRecord& record);
  bool ReadPlainLine(CsvRecord& record);
  Status ReadField(CsvRecord& record);
  Status ReadQuoted(CsvRecord& record);
  void ReadPlain(CsvRecord& record);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::size_t most_bytes_ = kMaxFieldBytes;  // of a field
  std::size_t quote_ = 0;                    // the next quote's place; 0: not searched yet
  std::deque<std::string> unquoted_;         // fields whose text differs from the input
};

// The fields of the first record; none if it cannot be read.
std::vector<std::string> HeaderFields(std::string_view csv);

// Checks a whole text before its rows are read. Errors: csv_nul, csv_not_utf8, csv_conflict_marker,
// each with its line (the first two with the field). Text that passes can be stored in PostgreSQL
// and served as UTF-8.
Status CheckTableText(std::string_view text);

// Appends `field`, quoted only if it must be.
void AppendCsvField(std::string& out, std::string_view field);

}  // namespace tunehub::core
