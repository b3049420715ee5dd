#include "server/service/registry/unlisted_tables.h"

#include <utility>

#include "core/table/table_writer.h"
#include "core/table/unlisted.h"

namespace tunehub::service {

std::map<std::string, CarriedTable> UnlistedTables(
    const core::Family& unlisted, const std::vector<std::shared_ptr<const TunedRow>>& rows) {
  const std::size_t name = unlisted.Find("table"), key = unlisted.Find("key"),
                    path = unlisted.Find("path");
  const auto order = [](std::string_view it) { return std::pair(it.find('/') != it.npos, it); };
  std::map<std::string, CarriedTable> tables;
  std::string scratch;
  for (const auto& row : rows) {
    if (!row->by_default()) continue;
    const core::Cells cells = core::SplitLine(row->line, scratch);
    CarriedTable& table = tables[std::string(cells[name])];
    if (table.path.empty() || order(cells[path]) < order(table.path)) table.path = cells[path];
    const core::LineKind kind = core::KindOfLine(cells[key]);
    if (kind <= core::LineKind::kUnkeyed) ++table.rows;
    table.competes = table.competes || kind == core::LineKind::kKeyed;
  }
  return tables;
}

}  // namespace tunehub::service
