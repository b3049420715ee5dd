#include "core/table/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "core/base/byte_words.h"
#include "core/base/encoding.h"
#include "core/base/text.h"

namespace tunehub::core {

Error AtLine(std::string code, std::size_t line, std::string_view what, std::string_view column) {
  return {std::move(code),
          fmt::format("line {}: {}", line, what),
          {.row = line, .column = std::string(column)}};
}

Error AtField(std::string code, std::size_t line, std::size_t field, std::string_view what) {
  return {std::move(code),
          fmt::format("line {}, field {}: {}", line, field, what),
          {.row = line, .field = field}};
}

Error DuplicateColumn(std::size_t line, std::string_view column) {
  return AtLine("duplicate_column", line, fmt::format("the column '{}' occurs twice", column),
                column);
}

Error TooManyRows(std::size_t line, std::size_t most) {
  return AtLine("too_many_rows", line, fmt::format("more than {} rows", most));
}

Error FieldTooLong(std::size_t line, std::size_t field, std::size_t bytes, std::size_t most) {
  return AtField("csv_field_too_long", line, field,
                 fmt::format("has {} bytes; the limit is {}", bytes, most));
}

Error NameColumn(Error error, std::string_view csv) {
  if (error.place.field == 0) return error;
  const std::vector<std::string> header = HeaderFields(csv);
  if (error.place.field > header.size()) return error;
  const std::string& name = header[error.place.field - 1];
  // The header itself may be damaged. Its bytes would make the answer's JSON invalid.
  if (CheckTableText(name).ok()) error.place.column = name;
  return error;
}

namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}

// A single loop is faster than find_first_of, which calls memchr for each byte of the set.
bool NeedsQuotes(std::string_view field) {
  if (field.empty()) return false;
  bool special = IsBlank(field.front()) || IsBlank(field.back());
  for (char c : field) special |= c == ',' || c == '"' || c == '\r' || c == '\n';
  return special;
}

// Counts commas within quotes, too. The field may then be wrong, but the line is right; AITER's
// tables contain no quotes.
Error AtByte(const char* code, std::string_view text, std::size_t position, std::string_view what) {
  const std::string_view before = text.substr(0, position);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  return AtField(code, LineNumber(text, position), 1 + commas, what);
}

// Returns the position of the first byte that is NUL or not ASCII. Skips eight bytes a step.
std::size_t SkipPlain(std::string_view text, std::size_t i) {
  while (i + 8 <= text.size()) {
    const std::uint64_t word = WordAt(text, i);
    if ((word & kHighBits) != 0 || BytesBelow(word, 1) != 0) break;
    i += 8;
  }
  while (i < text.size() && text[i] > 0) ++i;
  return i;
}

bool IsConflictMarker(std::string_view line) {
  return line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") ||
         line.starts_with("||||||| ") || line == "=======" || line == "=======\r";
}

}  // namespace

CsvReader::CsvReader(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) position_ = 3;
}

Result<bool> CsvReader::Next(CsvRecord& record) {
  for (;;) {
    SkipComments();
    Result<bool> read = ReadRecord(record);
    if (!read.ok() || !*read) return read;
    const bool blank = std::all_of(record.fields.begin(), record.fields.end(),
                                   [](std::string_view field) { return field.empty(); });
    if (!blank) return true;
  }
}

Status CsvReader::First(CsvRecord& record) {
  const Result<bool> more = Next(record);
  if (!more.ok()) return more.error();
  if (*more) return Ok();
  return Error{"empty_table", text_.empty() ? "the file is empty; expected a CSV with a header"
                                            : "the table has no header"};
}

// Skips whole lines, because a quote in a comment begins no field.
void CsvReader::SkipComments() {
  for (;;) {
    std::size_t first = position_;
    while (first < text_.size() && IsBlank(text_[first])) ++first;
    if (first == text_.size() || text_[first] != '#') return;
    const std::size_t end = text_.find('\n', first);
    position_ = end == std::string_view::npos ? text_.size() : end + 1;
    ++line_;
  }
}

Result<bool> CsvReader::ReadRecord(CsvRecord& record) {
  record.fields.clear();
  unquoted_.clear();
  if (position_ >= text_.size()) return false;
  record.line = line_;
  if (ReadPlainLine(record)) return true;
  const std::size_t begin = position_;
  for (;;) {
    if (Status status = ReadField(record); !status.ok()) return status.error();
    if (position_ == text_.size() || text_[position_] != ',') break;
    ++position_;
  }
  std::string_view whole = text_.substr(begin, position_ - begin);
  if (!whole.empty() && whole.back() == '\r') whole.remove_suffix(1);
  record.text = whole;
  if (position_ < text_.size()) ++position_;  // the line feed
  ++line_;
  return true;
}

Status CsvReader::ReadField(CsvRecord& record) {
  std::size_t first = position_;
  while (first < text_.size() && IsBlank(text_[first])) ++first;
  if (first < text_.size() && text_[first] == '"') {
    position_ = first;
    if (Status status = ReadQuoted(record); !status.ok()) return status;
  } else {
    ReadPlain(record);
  }
  const std::size_t bytes = record.fields.back().size();
  if (bytes <= most_bytes_) return Ok();
  return FieldTooLong(record.line, record.fields.size(), bytes, most_bytes_);
}

// Fast path for nearly every line: in a line without a quote, only commas and the line's end
// matter.
bool CsvReader::ReadPlainLine(CsvRecord& record) {
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  if (quote_ < position_ || quote_ == 0)
    quote_ = std::min(text_.find('"', position_), text_.size());
  if (quote_ < end || end - position_ > kMaxFieldBytes) return false;
  std::string_view line = text_.substr(position_, end - position_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t begin = 0;
  ForEachPlace(line, ',', 0, line.size(), [&](std::size_t comma) {
    record.fields.push_back(Trim({line.data() + begin, comma - begin}));
    begin = comma + 1;
  });
  record.fields.push_back(Trim(line.substr(begin)));
  record.text = line;
  position_ = std::min(end + 1, text_.size());
  ++line_;
  return true;
}

// Reads an unquoted field of a line that contains a quote or is long.
void CsvReader::ReadPlain(CsvRecord& record) {
  std::size_t end = position_;
  while (end < text_.size() && text_[end] != ',' && text_[end] != '\n') ++end;
  std::string_view field = text_.substr(position_, end - position_);
  const bool last = end == text_.size() || text_[end] == '\n';
  if (last && field.ends_with('\r')) field.remove_suffix(1);
  record.fields.push_back(Trim(field));
  position_ = end;
}

Status CsvReader::ReadQuoted(CsvRecord& record) {
  const std::size_t line = line_;
  std::string value;
  ++position_;
  for (;;) {
    const std::size_t quote = text_.find('"', position_);
    if (quote == std::string_view::npos) {
      return AtField("csv_unterminated_quote", line, record.fields.size() + 1,
                     "a quoted field has no closing quote");
    }
    const std::string_view part = text_.substr(position_, quote - position_);
    line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    value.append(part);
    position_ = quote + 1;
    if (position_ >= text_.size() || text_[position_] != '"') break;
    value.push_back('"');
    ++position_;
  }
  while (position_ < text_.size() && (IsBlank(text_[position_]) || text_[position_] == '\r')) {
    ++position_;
  }
  if (position_ < text_.size() && text_[position_] != ',' && text_[position_] != '\n') {
    return AtField("csv_text_after_quote", line, record.fields.size() + 1,
                   "text follows the closing quote");
  }
  record.fields.push_back(unquoted_.emplace_back(std::move(value)));
  return Ok();
}

void AppendCsvField(std::string& out, std::string_view field) {
  if (!NeedsQuotes(field)) {
    out.append(field);
    return;
  }
  out.push_back('"');
  for (char c : field) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

std::vector<std::string> HeaderFields(std::string_view csv) {
  CsvReader reader(csv);
  CsvRecord record;
  if (!reader.First(record).ok()) return {};
  return {record.fields.begin(), record.fields.end()};
}

Status CheckTableForm(std::string_view text) {
  const ForeignForm* const form = FormOf(text);
  if (form == nullptr) return Ok();
  const std::string run =
      form->command.empty() ? "" : fmt::format(". Run: {} FILE > TABLE.csv", form->command);
  return Error{"csv_not_text",
               fmt::format("is {}; expected a CSV as UTF-8 text{}", form->what, run)};
}

Status CheckTableText(std::string_view text) {
  if (Status form = CheckTableForm(text); !form.ok()) return form;
  for (std::size_t i = 0; (i = SkipPlain(text, i)) < text.size();) {
    if (text[i] == '\0') return AtByte("csv_nul", text, i, "a NUL byte");
    const std::size_t length = Utf8Length(text.substr(i));
    if (length == 0) return AtByte("csv_not_utf8", text, i, "bytes that are not UTF-8");
    i += length;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    if (IsConflictMarker(text.substr(begin, end - begin))) {
      return AtLine("csv_conflict_marker", LineNumber(text, begin),
                    "is a git conflict marker; resolve the conflict first");
    }
    begin = end + 1;
  }
  return Ok();
}

}  // namespace tunehub::core
