#include "server/service/queue/untuned_demand.h"

#include <algorithm>

#include "core/row/cell.h"
#include "core/shapes/lookup_shape.h"
#include "server/service/queue/shape_json.h"

namespace tunehub::service {

void AddDemand(const core::Family& family, core::FamilyShape shape, std::int64_t count,
               DemandByShape& demand) {
  std::string order = core::OrderKeyOf(family, shape, "", 0);
  core::ShapeDemand& entry = demand[std::move(order)];
  entry.shape = std::move(shape);
  entry.count += count;
}

bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target) {
  const core::Family& family = *snapshot.family;
  const std::string order = core::OrderKeyOf(family, shape, target.gfx, target.cu_num);
  auto row =
      std::lower_bound(snapshot.rows.begin(), snapshot.rows.end(), order,
                       [](const auto& it, const std::string& key) { return it->order < key; });
  for (; row != snapshot.rows.end() && (*row)->order == order; ++row) {
    if ((*row)->by_default() && (*row)->standing <= core::Standing::kDeclared &&
        !(*row)->baseline) {
      return true;
    }
  }
  return false;
}

core::FamilyShape ForLookup(const core::Family& family, core::FamilyShape shape) {
  if (family.lookup.m == core::kNoColumn) return shape;
  std::string& cell = shape.cells[family.lookup.m];
  const auto m = core::ParseInt64(cell);
  if (m && *m >= 1) cell = std::to_string(core::LookupM(family, *m));
  return shape;
}

DemandByShape UntunedDemand(const FamilySnapshot& snapshot,
                            const std::vector<store::DemandRecord>& demand,
                            const core::Target& target, bool raw, std::size_t* met) {
  DemandByShape untuned;
  std::size_t left_out = 0;
  for (const store::DemandRecord& record : demand) {
    for (core::FamilyShape& shape : ReadStoredShapes(*snapshot.family, "[" + record.shape + "]")) {
      core::FamilyShape usable = ForLookup(*snapshot.family, shape);
      if (IsTuned(snapshot, shape, target) || IsTuned(snapshot, usable, target)) {
        ++left_out;
      } else {
        AddDemand(*snapshot.family, raw ? std::move(shape) : std::move(usable), record.count,
                  untuned);
      }
    }
  }
  if (met != nullptr) *met = left_out;
  return untuned;
}

std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand) {
  std::vector<core::ShapeDemand> shapes;
  for (auto& [order, shape] : demand) shapes.push_back(std::move(shape));
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return shapes;
}

}  // namespace tunehub::service
