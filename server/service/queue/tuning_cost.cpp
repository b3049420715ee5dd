#include "server/service/queue/tuning_cost.h"

#include <array>

namespace tunehub::service {

std::string_view Name(CostBasis basis) {
  constexpr std::array<std::string_view, 4> kNames = {"none", "family_on_target", "target", "any"};
  return kNames.at(static_cast<std::size_t>(basis));
}

TuningCost CostOf(const std::vector<store::DoneWork>& done, std::int16_t family,
                  const core::Target& target) {
  for (const CostBasis basis : {CostBasis::kFamilyOnTarget, CostBasis::kTarget, CostBasis::kAny}) {
    TuningCost cost{basis};
    for (const store::DoneWork& it : done) {
      const bool here = it.gfx == target.gfx && it.cu_num == target.cu_num;
      if (basis != CostBasis::kAny && !here) continue;
      if (basis == CostBasis::kFamilyOnTarget && it.family != family) continue;
      cost.jobs += it.jobs;
      cost.shapes += it.shapes;
      cost.seconds += it.seconds;
    }
    if (cost.shapes > 0) return cost;
  }
  return {};
}

}  // namespace tunehub::service
