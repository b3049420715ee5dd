#include "core/table/table_chunk.h"

#include <algorithm>

#include "core/table/csv.h"

namespace tunehub::core {

std::optional<CutTable> CutIntoChunks(const Family& family, std::string_view csv,
                                      std::size_t chunk_bytes) {
  CsvReader reader(csv);
  CsvRecord record;
  const Result<bool> found = reader.Next(record);
  if (!found.ok() || !*found) return std::nullopt;
  Result<TableHeader> header = MapHeader(family, record.fields, record.line);
  const std::size_t rows = reader.position();
  if (!header.ok() || !CheckTableText(csv.substr(0, rows)).ok()) return std::nullopt;

  CutTable table{*std::move(header), reader.line(), {rows}};
  const bool quoted = csv.find('"', rows) != std::string_view::npos;
  for (std::size_t begin = rows; !quoted && csv.size() - begin > chunk_bytes;) {
    const std::size_t end = csv.find('\n', begin + chunk_bytes);
    if (end >= csv.size() - 1) break;  // also npos
    begin = end + 1;
    table.borders.push_back(begin);
  }
  table.borders.push_back(csv.size());
  return table;
}

}  // namespace tunehub::core
