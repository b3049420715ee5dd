#include "core/table/table_header.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/excerpt.h"
#include "core/table/table_error.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kQuotedBytes = 80;  // of an unknown column's name

bool MayBeMissing(const Family& family, std::size_t column) {
  if (column == family.gfx) return family.cu_num != kNoColumn;
  return !family.columns[column].missing.empty();
}

RowIssue UnknownColumn(const Family& family, std::string_view field, std::size_t line) {
  const std::string name(Excerpt(field, kQuotedBytes));
  return {line, name, "unknown_column",
          fmt::format("{} has no column '{}'; it is left out of every row", family.name, name)};
}

}  // namespace

Result<TableHeader> MapHeader(const Family& family, std::span<const std::string_view> fields,
                              std::size_t line) {
  TableHeader header;
  header.present.resize(family.columns.size(), false);
  for (std::string_view field : fields) {
    const std::size_t column = family.Find(field);
    if (column == kNoColumn) {
      const bool ignored =
          field.starts_with("Unnamed:") ||
          std::find(family.ignored.begin(), family.ignored.end(), field) != family.ignored.end();
      if (!ignored) header.unknown.push_back(UnknownColumn(family, field, line));
    } else if (header.present[column]) {
      return DuplicateColumn(line, field);
    } else {
      header.present[column] = true;
    }
    header.column_of_field.push_back(column);
  }
  for (std::size_t i = 0; i < family.columns.size(); ++i) {
    if (header.present[i] || MayBeMissing(family, i)) continue;
    const std::string& name = family.columns[i].name;
    std::string what = fmt::format("the column '{}' of {} is missing", name, family.name);
    if (!header.unknown.empty()) {
      what += fmt::format("; '{}' is none of its columns, which are {}",
                          header.unknown.front().column, family.Header(true));
    }
    return AtLine("missing_column", line, what, name);
  }
  header.ends_in_tag = family.tag != kNoColumn && !header.column_of_field.empty() &&
                       header.column_of_field.back() == family.tag;
  return header;
}

}  // namespace tunehub::core
