#include "core/lookup/loaded_table.h"

#include <utility>

namespace tunehub::lookup {

core::Result<LoadedTable> LoadTable(const core::Family& family, const core::Targets& targets,
                                    std::span<const core::SourceFile> sources) {
  const auto merged = core::MergeTables(family, targets, sources);
  if (!merged.ok()) return merged.error();
  auto read = core::ReadTunedTable(family, targets, merged->Csv(),
                                   {.error_limit = {}, .identify = nullptr, .warnings = false});
  if (!read.ok()) return read.error();
  auto table = std::make_unique<core::TunedTable>(*std::move(read));
  std::vector<TableRow> rows;
  for (const core::Row& row : table->rows) {
    if (!core::Competes(row.standing)) continue;
    rows.push_back({row.line, row.us, row.standing});
  }
  return LoadedTable{std::move(table), Table(family, std::move(rows)), merged->issues};
}

}  // namespace tunehub::lookup
