#include "agent/lookup_table.h"

#include "agent/file_bytes.h"
#include "agent/input_family.h"
#include "core/cell.h"
#include "core/merge.h"

namespace tunehub::agent {

core::Result<LookupTable> ReadLookupTable(const Configuration& configuration,
                                          const std::string& family,
                                          const std::vector<std::string>& files) {
  std::vector<FileBytes> bytes;
  std::vector<core::SourceFile> sources;
  for (const std::string& file : files) {
    auto read = FileBytes::Read(file);
    if (!read.ok()) return read.error();
    bytes.push_back(*std::move(read));
    sources.push_back({file, bytes.back().view()});
  }
  const auto common = CommonFamily(configuration.families, family, sources);
  if (!common.ok()) return common.error();
  const auto merged = core::MergeTables(**common, configuration.targets, sources);
  if (!merged.ok()) return merged.error();
  auto read = core::ReadTunedTable(**common, configuration.targets, merged->Csv(),
                                   {.error_limit = {}, .identify = nullptr, .warnings = false});
  if (!read.ok()) return read.error();
  auto table = std::make_unique<core::TunedTable>(*std::move(read));
  std::vector<dispatch::TableRow> rows;
  for (const core::Row& row : table->rows) {
    if (row.standing == core::Standing::kQuarantined) continue;
    rows.push_back({row.line, row.us, row.standing});
  }
  return LookupTable{std::move(table), dispatch::Table(**common, std::move(rows))};
}

core::Result<core::DemandTarget> TargetToLookUp(const Configuration& configuration,
                                                const core::Family& family, const std::string& gfx,
                                                int cu_num) {
  const auto canonical = core::CanonicalGfx(gfx);
  if (!canonical) {
    return core::Error{"bad_gfx", "'" + gfx + "' is no target name such as gfx942"};
  }
  core::DemandTarget target{std::string(*canonical), 0};
  if (family.cu_num == core::kNoColumn) return target;
  if (cu_num < 0 || cu_num > core::kMaxCuNum) {
    return core::Error{"bad_cu_num", std::to_string(cu_num) + " is no CU count within 1.." +
                                         std::to_string(core::kMaxCuNum)};
  }
  const core::Arch* const arch = configuration.targets.Find(target.gfx);
  target.cu_num = cu_num > 0 ? cu_num : arch == nullptr ? 0 : arch->default_cu_num;
  if (target.cu_num > 0) return target;
  return core::Error{"bad_cu_num",
                     "--cu-num is missing, and " + target.gfx + " has no usual CU count"};
}

}  // namespace tunehub::agent
