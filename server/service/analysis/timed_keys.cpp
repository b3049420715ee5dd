#include "server/service/analysis/timed_keys.h"

#include <map>
#include <utility>
#include <vector>

#include "core/table/table_writer.h"

namespace tunehub::service {
namespace {

using Defaults = std::map<std::pair<int, std::string_view>, double>;  // by CU count and shape

}  // namespace

std::optional<core::Roofline> RooflineOn(const Definitions& definitions, const core::Family& family,
                                         const core::Cells& cells, const JudgedTarget& on,
                                         int cu_num) {
  const bool here = cu_num == 0 || cu_num == on.target.cu_num;
  return core::RooflineOf(family, cells, definitions.targets.devices(), on.target.gfx,
                          here ? on.target.cu_num : cu_num, here ? on.product : nullptr);
}

analysis::Estimates EstimatesOf(const Definitions& definitions, const FamilySnapshot& snapshot,
                                Speedups& speedups, const JudgedTarget& on) {
  const core::Family& family = *snapshot.family;
  const int cu_num = family.cu_num == core::kNoColumn ? 0 : on.target.cu_num;
  if (family.objective == core::kNoColumn) return {};
  const SpeedupAnswer known = speedups.Get({{&family}, {on.target.gfx, 0}, "", 0, ""});
  Defaults defaults;
  for (const analysis::SpeedupKey* key : known.keys) {
    if (key->has_default()) defaults[{key->cu_num, key->shape}] = key->default_us;
  }
  std::vector<analysis::TimedKey> keys;
  std::string scratch;
  for (const auto& row : snapshot.rows) {
    if (row->gfx != on.target.gfx || !row->by_default() || !(row->us > 0) ||
        row->standing != core::Standing::kMeasured) {
      continue;
    }
    const core::Cells cells = core::SplitLine(row->line, scratch);
    auto place = analysis::PlaceOf(family, cells);
    if (!place) continue;
    analysis::TimedKey key{*std::move(place), row->cu_num};
    (row->baseline ? key.default_us : key.tuned_us) = row->us;
    const auto measured = defaults.find({row->cu_num, key.place.shape});
    if (!row->baseline && measured != defaults.end()) key.default_us = measured->second;
    const auto roofline = RooflineOn(definitions, family, cells, on, row->cu_num);
    if (roofline) key.roofline_us = roofline->us;
    keys.push_back(std::move(key));
  }
  return {std::move(keys), cu_num};
}

}  // namespace tunehub::service
