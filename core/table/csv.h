// Reads and writes CSV (RFC 4180) as in AITER's tables. Accepts LF, CRLF and a missing final line
// feed. Trims blanks. Skips blank lines, "# ..." lines and rows of empty fields.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// "line 3: is a git conflict marker". `column`: the name of the column concerned; "": none.
Error AtLine(std::string code, std::size_t line, std::string_view what,
             std::string_view column = {});

// "line 3, field 9: a NUL byte".
Error AtField(std::string code, std::size_t line, std::size_t field, std::string_view what);

// "line 1: the column 'gfx' occurs twice".
Error DuplicateColumn(std::size_t line, std::string_view column);

// "line 9: more than 8 rows".
Error TooManyRows(std::size_t line, std::size_t most);

// The error for a field of `bytes` bytes, above the limit `most`.
Error FieldTooLong(std::size_t line, std::size_t field, std::size_t bytes, std::size_t most);

// Adds the column's name to an error with a field, if the header of `csv` names that field.
Error NameColumn(Error error, std::string_view csv);

// The limit of a field: longer than any kernel name (AITER's longest: 340 bytes), and short enough
// for a message.
inline constexpr std::size_t kMaxFieldBytes = 4096;

struct CsvRecord {
  std::size_t line = 0;                  // line number of the first byte, from 1
  std::string_view text;                 // the whole record, without its line end
  std::vector<std::string_view> fields;  // trimmed, unquoted
};

class CsvReader {
 public:
  // Skips a UTF-8 byte order mark. `text` must outlive the reader and every record.
  explicit CsvReader(std::string_view text);
  // Starts within a text, at byte `position` in line number `line`.
  CsvReader(std::string_view text, std::size_t position, std::size_t line)
      : text_(text), position_(position), line_(line) {}

  // Reads the next record into `record`; false at the end of the text. The fields stay valid until
  // the next call. Errors: csv_unterminated_quote, csv_text_after_quote, csv_field_too_long, each
  // with line and field.
  Result<bool> Next(CsvRecord& record);

  // Reads a table's header. Errors: those of Next; empty_table if there is no record.
  Status First(CsvRecord& record);

  // Sets a field's limit in bytes, for tables whose cells are whole documents.
  void AllowFields(std::size_t bytes) { most_bytes_ = bytes; }

  // The position and the line of the first unread byte.
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
  std::size_t most_bytes_ = kMaxFieldBytes;  // the most bytes of a field
  std::size_t quote_ = 0;                    // position of the next quote; 0: not searched yet
  std::deque<std::string> unquoted_;         // fields whose text differs from the input
};

// The fields of the first record; empty if the record cannot be read.
std::vector<std::string> HeaderFields(std::string_view csv);

// Checks the first bytes. Errors: csv_not_text (packed, UTF-16, a program).
Status CheckTableForm(std::string_view text);

// Checks a whole text before a reader reads its rows. A text without error can be stored in
// PostgreSQL and served as UTF-8. Errors: csv_not_text; csv_nul, csv_not_utf8 (with line and
// field); csv_conflict_marker (with line).
Status CheckTableText(std::string_view text);

// Appends `field`, quoted only if necessary.
void AppendCsvField(std::string& out, std::string_view field);

}  // namespace tunehub::core
