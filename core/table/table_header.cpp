#include "core/table/table_header.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/base/excerpt.h"
#include "core/table/table_error.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kQuotedBytes = 80;  // of an unknown column's name

// What tells operations apart in one table of AITER's or another: rows that differ in it are not
// one another's rivals, whatever their other cells say.
constexpr std::array<std::string_view, 13> kTellsApart = {
    "tp",       "ep",      "is_ep",        "comm_mode", "gate_mode", "w_scale_block", "groupSize",
    "b_intype", "a_dtype", "a_preshuffle", "gpu_model", "ep_size",   "zero_copy"};

bool MayBeMissing(const Family& family, std::size_t column) {
  if (column == family.gfx) return family.cu_num != kNoColumn;
  return !family.columns[column].missing.empty();
}

Error KeyColumn(const Family& family, std::string_view field, std::size_t line) {
  return AtLine("key_column", line,
                fmt::format("'{}' is no column of {}, and rows that differ in it are of different "
                            "operations: without it they would be merged into one",
                            field, family.name),
                field);
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
      if (std::ranges::find(kTellsApart, field) != kTellsApart.end()) {
        return KeyColumn(family, field, line);
      }
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
