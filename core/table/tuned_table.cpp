#include "core/table/tuned_table.h"

#include <algorithm>

#include "core/row/cell.h"
#include "core/table/csv.h"
#include "core/table/table_error.h"
#include "core/table/table_header.h"
#include "core/table/tuned_rows.h"

namespace tunehub::core {

std::size_t MaxFieldBytes(const Family& family) {
  return std::ranges::find(family.columns, Type::kDocument, &Column::type) == family.columns.end()
             ? kMaxFieldBytes
             : kMaxDocumentBytes;
}

Result<TunedTable> ReadTunedTable(const Family& family, const Targets& targets,
                                  std::string_view csv, const ReadOptions& options) {
  if (Status status = CheckTableText(csv); !status.ok()) return NameColumn(status.error(), csv);
  CsvReader reader(csv);
  reader.AllowFields(MaxFieldBytes(family));
  CsvRecord record;
  if (Status status = reader.First(record); !status.ok()) return status.error();
  const auto header = MapHeader(family, record.fields, record.line);
  if (!header.ok()) return header.error();

  TunedRows rows(family, targets, *header, options);
  for (std::size_t count = 0;; ++count) {
    const Result<bool> more = reader.Next(record);
    if (!more.ok()) return NameColumn(more.error(), csv);
    if (!*more) return rows.Take();
    if (count == options.max_rows) return TooManyRows(record.line, options.max_rows);
    rows.Add(record);
  }
}

}  // namespace tunehub::core
