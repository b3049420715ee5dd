#include "server/service/queue/demand_fold.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/row/key.h"
#include "core/row/row_target.h"
#include "server/service/queue/shape_json.h"

namespace tunehub::service {
namespace {

core::Hash128 IdOf(const core::Family& family, const core::UntunedRow& row) {
  const std::string cus = row.target.cu_num > 0 ? std::to_string(row.target.cu_num) : "";
  core::Cells cells(row.shape.cells.begin(), row.shape.cells.end());
  core::PutTarget(family, row.target.gfx, cus, cells);
  std::string text;
  core::AppendKeyText(text, family, cells);
  return core::HashOf(text);
}

}  // namespace

std::vector<store::DemandRow> FoldDemand(const core::Family& family, std::int16_t id,
                                         const std::vector<core::UntunedRow>& rows) {
  std::map<core::Hash128, store::DemandRow> folded;
  for (const core::UntunedRow& row : rows) {
    const core::Hash128 hash = IdOf(family, row);
    const auto [entry, is_new] = folded.try_emplace(hash);
    store::DemandRow& demand = entry->second;
    if (!is_new) {
      demand.count += row.count;
      continue;
    }
    demand = {hash,     id, row.target.gfx, row.target.cu_num, ShapeJson(family, row.shape).dump(),
              row.count};
  }
  std::vector<store::DemandRow> out;
  for (auto& [hash, demand] : folded) out.push_back(std::move(demand));
  return out;
}

}  // namespace tunehub::service
