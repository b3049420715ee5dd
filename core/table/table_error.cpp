#include "core/table/table_error.h"

#include <fmt/core.h>

#include "core/table/csv.h"

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
  return AtLine("duplicate_column", line, fmt::format("the column '{}' comes twice", column),
                column);
}

Error TooManyRows(std::size_t line, std::size_t most) {
  return AtLine("too_many_rows", line, fmt::format("more than {} rows", most));
}

Error FieldTooLong(std::size_t line, std::size_t field, std::size_t bytes, std::size_t most) {
  return AtField("csv_field_too_long", line, field,
                 fmt::format("{} bytes, the limit is {}", bytes, most));
}

Error NameColumn(Error error, std::string_view csv) {
  if (error.place.field == 0) return error;
  CsvReader reader(csv);
  CsvRecord header;
  const auto read = reader.Next(header);
  if (!read.ok() || !*read || error.place.field > header.fields.size()) return error;
  const std::string_view name = header.fields[error.place.field - 1];
  // The header may be what is wrong: its bytes would make the answer no JSON.
  if (CheckTableText(name).ok()) error.place.column = name;
  return error;
}

}  // namespace tunehub::core
