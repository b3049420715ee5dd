#include "server/service/queue/demand_fold.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/row/key.h"
#include "server/service/queue/shape_json.h"

namespace tunehub::service {
namespace {

core::Hash128 IdOf(const core::Family& family, const core::Wanted& wanted) {
  const std::string cus = wanted.target.cu_num > 0 ? std::to_string(wanted.target.cu_num) : "";
  core::Cells cells(wanted.shape.cells.begin(), wanted.shape.cells.end());
  cells[family.gfx] = wanted.target.gfx;
  if (family.cu_num != core::kNoColumn) cells[family.cu_num] = cus;
  std::string text;
  core::AppendKeyText(text, family, cells);
  return core::HashOf(text);
}

}  // namespace

std::vector<store::DemandRow> FoldDemand(const core::Family& family, std::int16_t id,
                                         const std::vector<core::Wanted>& rows) {
  std::map<core::Hash128, store::DemandRow> folded;
  for (const core::Wanted& wanted : rows) {
    const core::Hash128 hash = IdOf(family, wanted);
    const auto [entry, is_new] = folded.try_emplace(hash);
    store::DemandRow& row = entry->second;
    if (!is_new) {
      row.count += wanted.count;
      continue;
    }
    row = {hash,
           id,
           wanted.target.gfx,
           wanted.target.cu_num,
           ShapeJson(family, wanted.shape).dump(),
           wanted.count};
  }
  std::vector<store::DemandRow> out;
  for (auto& [hash, row] : folded) out.push_back(std::move(row));
  return out;
}

}  // namespace tunehub::service
