// RFC 4180 records out of a text, as AITER's tables need them read: LF or CRLF, a missing final
// line feed, fields trimmed of blanks, and blank lines, "# ..." lines and rows of empty fields
// skipped.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tunehub::core {

// "line 3: a git conflict marker". `column`: whose name it is about; "": none.
Error AtLine(std::string code, std::size_t line, std::string_view what,
             std::string_view column = {});

// "line 3, field 9: a NUL byte".
Error AtField(std::string code, std::size_t line, std::size_t field, std::string_view what);

// "line 1: the column 'gfx' comes twice".
Error DuplicateColumn(std::size_t line, std::string_view column);

// "line 9: more than 8 rows".
Error TooManyRows(std::size_t line, std::size_t most);

// A field of `bytes`, more than `most`.
Error FieldTooLong(std::size_t line, std::size_t field, std::size_t bytes, std::size_t most);

// The error with the column's name, where it has a field to which the header of `csv` gives one.
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
  // Goes on within a text: at byte `position`, where line number `line` begins.
  CsvReader(std::string_view text, std::size_t position, std::size_t line)
      : text_(text), position_(position), line_(line) {}

  // Fills `record` with the next one; false at the end. The fields' storage lives until the next
  // call. Errors: csv_unterminated_quote, csv_text_after_quote, csv_field_too_long, each with line
  // and field.
  Result<bool> Next(CsvRecord& record);

  // The record that a table begins with, its header: as Next, but that there is none is an error
  // too, empty_table.
  Status First(CsvRecord& record);

  // For tables with a column of documents.
  void AllowFields(std::size_t bytes) { most_bytes_ = bytes; }

  // Of the first byte that has not been read.
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
  std::size_t quote_ = 0;             // the first at or behind position_, once it is looked for
  std::deque<std::string> unquoted_;  // fields whose text differs from the input
};

// The fields of the first record; none where it cannot be read.
std::vector<std::string> HeaderFields(std::string_view csv);

// Refuses what no table may hold, before any row is read: csv_nul, csv_not_utf8,
// csv_conflict_marker, each with its line (the first two with the field). Any text that passes can
// be stored in PostgreSQL and served as UTF-8.
Status CheckTableText(std::string_view text);

// `field` as RFC 4180 writes it: quoted only where it must be.
void AppendCsvField(std::string& out, std::string_view field);

}  // namespace tunehub::core
