#include "server/service/ingest/within_limits.h"

#include <set>
#include <tuple>

namespace tunehub::service {

core::Status CheckRows(const Definitions& definitions, const Writer& writer,
                       const std::vector<registry::StagedRow>& rows) {
  if (!writer.limits) return core::Ok();
  std::set<std::tuple<std::int16_t, std::string, int>> seen;
  for (const registry::StagedRow& staged : rows) {
    if (staged.row.standing == core::Standing::kGarbled) continue;
    seen.emplace(staged.family, staged.row.gfx, staged.row.cu_num);
  }
  for (const auto& family : definitions.families.all()) {
    for (const auto& [id, gfx, cu_num] : seen) {
      if (id != definitions.Id(*family)) continue;
      if (auto within = CheckFamily(writer, family->name); !within.ok()) return within;
      if (auto within = CheckTarget(writer, gfx, cu_num); !within.ok()) return within;
    }
  }
  return core::Ok();
}

}  // namespace tunehub::service
