#include "core/table/table_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/table/csv.h"

namespace tunehub::core {
namespace {

constexpr std::size_t kQuotedBytes = 80;  // limit for an unknown column's name

// Columns of AITER's tables that distinguish operations. Rows that differ in such a column never
// compete.
constexpr std::array<std::string_view, 13> kTellsApart = {
    "tp",       "ep",      "is_ep",        "comm_mode", "gate_mode", "w_scale_block", "groupSize",
    "b_intype", "a_dtype", "a_preshuffle", "gpu_model", "ep_size",   "zero_copy"};

bool MayBeMissing(const Family& family, std::size_t column) {
  if (column == family.gfx) return family.cu_num != kNoColumn;
  return !family.columns[column].missing.empty();
}

Error KeyColumn(const Family& family, std::string_view field, std::size_t line) {
  return AtLine("key_column", line,
                fmt::format("'{}' is not a column of {}. Without this column, rows of different "
                            "operations would become one row",
                            field, family.name),
                field);
}

RowIssue UnknownColumn(const Family& family, std::string_view field, std::size_t line) {
  const std::string name(Excerpt(field, kQuotedBytes));
  return {
      line, name, "unknown_column",
      fmt::format("{} has no column '{}'; the written table omits this column", family.name, name)};
}

// Returns the columns to write. Omits an optional column if no line has a value for it.
std::vector<bool> KeptColumns(const Family& family, std::span<const std::string_view> lines,
                              const WriteOptions& options) {
  std::vector<bool> kept(family.columns.size(), true);
  if (family.has_optional) {
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = !family.columns[i].optional;
    std::string scratch;
    for (std::string_view line : lines) {
      const Cells cells = SplitLine(line, scratch);
      for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = kept[i] || !cells[i].empty();
    }
  }
  if (options.without_gfx && family.gfx != kNoColumn) kept[family.gfx] = false;
  return kept;
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
      const std::string& unknown = header.unknown.front().column;
      const bool one = header.column_of_field.size() == 1;
      what += one && unknown.find_first_of(";\t") != std::string::npos
                  ? "; the file separates its fields by ';' or tabs; expected commas"
                  : fmt::format("; the column '{}' is unknown", Excerpt(unknown));
      what += "\nexpected " + family.Header(true);
    }
    return AtLine("missing_column", line, what, name);
  }
  header.ends_in_tag = family.tag != kNoColumn && !header.column_of_field.empty() &&
                       header.column_of_field.back() == family.tag;
  return header;
}

std::string JoinCells(const Cells& cells) {
  std::size_t size = cells.size();
  for (std::string_view cell : cells) size += cell.size();
  std::string line;
  line.reserve(size);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.push_back(',');
    AppendCsvField(line, cells[i]);
  }
  return line;
}

Cells SplitLine(std::string_view line, std::string& scratch) {
  Cells cells;
  if (line.find('"') == std::string_view::npos) {
    for (std::size_t begin = 0;;) {
      const std::size_t comma = line.find(',', begin);
      cells.push_back(line.substr(begin, comma - begin));
      if (comma == std::string_view::npos) return cells;
      begin = comma + 1;
    }
  }
  // This rare cell is quoted. Unquoting only shortens the line, so `scratch` never reallocates.
  scratch.clear();
  scratch.reserve(line.size());
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i == line.size() || (line[i] == ',' && !quoted)) {
      cells.push_back(std::string_view(scratch).substr(begin));
      begin = scratch.size();
    } else if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        scratch.push_back(line[i++]);
      else
        quoted = !quoted;
    } else {
      scratch.push_back(line[i]);
    }
  }
  return cells;
}

std::string_view CellOf(std::string_view line, std::size_t column, std::string& scratch) {
  if (line.find('"') != std::string_view::npos) return SplitLine(line, scratch)[column];
  for (; column > 0; --column) line.remove_prefix(line.find(',') + 1);
  return line.substr(0, line.find(','));
}

std::string WriteTable(const Family& family, std::span<const std::string_view> lines,
                       const WriteOptions& options) {
  const std::vector<bool> kept = KeptColumns(family, lines, options);
  const bool whole = std::ranges::find(kept, false) == kept.end();
  std::size_t size = 1024;
  for (std::string_view line : lines) size += line.size() + 1;
  std::string out, scratch;
  out.reserve(size);
  const auto append = [&](const Cells& cells) {
    bool first = true;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!kept[i]) continue;
      if (!first) out.push_back(',');
      first = false;
      AppendCsvField(out, cells[i]);
    }
    out.push_back('\n');
  };
  Cells names;
  for (const Column& column : family.columns) names.push_back(column.name);
  append(names);
  for (std::string_view line : lines) {
    if (whole) {
      out.append(line).push_back('\n');
    } else {
      append(SplitLine(line, scratch));
    }
  }
  return out;
}

}  // namespace tunehub::core
