#include "agent/commands/contribute/appended_table.h"

#include "core/row/cell.h"
#include "core/table/table_writer.h"

namespace tunehub::agent {
namespace {

// What AITER's merge takes an absent cell for.
bool IsFilledIn(const core::Family& family, const core::Targets& targets, std::size_t column,
                const core::Cells& cells) {
  if (cells[column].empty()) return true;
  if (column != family.gfx) return cells[column] == "0";
  if (family.cu_num == core::kNoColumn) return false;
  const auto cu_num = core::ParseInt(cells[family.cu_num]);
  return cu_num && targets.LegacyGfx(*cu_num) == cells[column];
}

}  // namespace

core::Result<AppendedTable> AppendedTable::Begin(const core::Family& family, std::string_view csv) {
  AppendedTable table(family);
  table.bytes_ = csv.empty() ? core::WriteTable(family, {}) : std::string(csv);
  core::CsvReader reader(table.bytes_);
  core::CsvRecord record;
  if (core::Status first = reader.First(record); !first.ok()) return first.error();
  auto header = core::MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();
  table.header_ = *std::move(header);
  const std::size_t end = table.bytes_.find('\n');
  if (end != std::string::npos && end > 0 && table.bytes_[end - 1] == '\r') {
    table.line_end_ = "\r\n";
  }
  if (!table.bytes_.ends_with('\n')) table.bytes_ += table.line_end_;
  return table;
}

std::string AppendedTable::Lacks(const core::Targets& targets, std::string_view line) const {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  for (std::size_t i = 0; i < family_.columns.size(); ++i) {
    const core::Column& column = family_.columns[i];
    const bool needed = column.is_key() || column.role == core::Role::kConfig ||
                        column.role == core::Role::kObjective;
    if (header_.present[i] || !needed) continue;
    if (!IsFilledIn(family_, targets, i, cells)) return column.name;
  }
  return "";
}

void AppendedTable::Append(std::string_view line) {
  std::string scratch;
  const core::Cells cells = core::SplitLine(line, scratch);
  for (std::size_t i = 0; i < header_.column_of_field.size(); ++i) {
    if (i > 0) bytes_ += ',';
    const std::size_t column = header_.column_of_field[i];
    if (column != core::kNoColumn) core::AppendCsvField(bytes_, cells[column]);
  }
  bytes_ += line_end_;
}

}  // namespace tunehub::agent
