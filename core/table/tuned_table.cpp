#include "core/table/tuned_table.h"

#include <algorithm>

#include "core/row/key.h"
#include "core/table/csv.h"
#include "core/table/reach.h"
#include "core/table/row_reader.h"
#include "core/table/table_error.h"
#include "core/table/table_writer.h"

namespace tunehub::core {
namespace {

Row Keep(const Family& family, const ReadOptions& options, TypedRow& typed) {
  const Cells& cells = typed.cells;
  Row row;
  row.source_line = typed.source_line;
  row.gfx = cells[family.gfx];
  row.cu_num = family.cu_num == kNoColumn ? 0 : ParseInt(cells[family.cu_num]).value_or(0);
  row.inferred_gfx = typed.inferred_gfx;
  row.own_kernel =
      std::any_of(family.kernel_columns.begin(), family.kernel_columns.end(),
                  [&](std::size_t i) { return cells[i].starts_with(kOwnKernelPrefix); });
  row.us = typed.us;
  row.error = typed.error;
  row.line = typed.line.empty() ? JoinCells(cells) : std::string(typed.line);
  row.standing = typed.judgement.standing;
  row.reason = std::move(typed.judgement.reason);
  AppendOrderKey(row.order, family, cells, typed.integers);
  if (options.identify != nullptr) options.identify(family, cells, row);
  return row;
}

void Warn(const Family& family, const Targets& targets, const TypedRow& row, TunedTable& table) {
  if (row.put_in != kNoColumn) table.warnings.push_back(PutIn(family, row));
  for (ReachWarning& warning : CheckReach(family, targets, row.cells)) {
    table.warnings.push_back({row.source_line, std::move(warning.column), std::move(warning.code),
                              std::move(warning.detail)});
  }
}

}  // namespace

Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options) {
  if (Status status = CheckTableText(csv); !status.ok()) return NameColumn(status.error(), csv);
  CsvReader reader(csv);
  CsvRecord record;
  if (Status status = reader.First(record); !status.ok()) return status.error();
  const auto header = MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();

  TunedTable table;
  if (options.warnings) table.warnings = header->unknown;
  RowReader rows(family, targets, *header, options.error_limit);
  std::size_t count = 0;
  for (;;) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return NameColumn(more.error(), csv);
    if (!*more) return table;
    if (++count > options.max_rows) {
      return AtLine("too_many_rows", record.line,
                    "more than " + std::to_string(options.max_rows) + " rows");
    }
    if (!rows.Read(record)) {
      table.rejected.push_back(std::move(rows.rejection()));
      continue;
    }
    table.rows.push_back(Keep(family, options, rows.row()));
    if (options.warnings) Warn(family, targets, rows.row(), table);
  }
}

}  // namespace tunehub::core
