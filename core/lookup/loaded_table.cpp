#include "core/lookup/loaded_table.h"

#include <fmt/core.h>

#include <utility>

#include "core/row/target.h"

namespace tunehub::lookup {

core::Result<core::Target> TargetToLookUp(const core::Targets& targets, const core::Family& family,
                                          std::string_view gfx, int cu_num) {
  const auto named = core::NamedTarget(targets.devices(), gfx);
  if (!named.ok()) return named.error();
  core::Target target{named->gfx, 0};
  if (family.cu_num == core::kNoColumn) return target;
  if (cu_num < 0 || cu_num > core::kMaxCuNum) {
    return core::Error{"bad_cu_num",
                       fmt::format("{} is no CU count within 1..{}", cu_num, core::kMaxCuNum)};
  }
  const core::GpuArch* const arch = targets.Find(target.gfx);
  target.cu_num = cu_num > 0 ? cu_num : named->cu_num;
  if (target.cu_num == 0 && arch != nullptr) target.cu_num = arch->default_cu_num;
  if (target.cu_num > 0) return target;
  return core::Error{
      "bad_cu_num",
      fmt::format("the CU count is missing, and {} has no usual CU count", target.gfx)};
}

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
