#include "server/queue/demand_counts.h"

#include <spdlog/spdlog.h>

#include "core/shapes/shape.h"
#include "server/answers/shapes.h"
#include "server/queue/demand_store.h"

namespace tunehub::server {
namespace {

// Clients choose the targets, so above this number the cache is cleared.
constexpr std::size_t kMaxKnown = 256;

DemandCounts::Counts Fold(const core::Family& family, const std::vector<DemandRecord>& records) {
  DemandCounts::Counts counts;
  for (const DemandRecord& record : records) {
    for (const core::FamilyShape& shape : ReadStoredShapes(family, "[" + record.shape + "]")) {
      counts[core::OrderKeyOf(family, shape, "", 0)] += record.count;
    }
  }
  return counts;
}

}  // namespace

std::shared_ptr<const DemandCounts::Counts> DemandCounts::Of(const core::Family& family,
                                                             const core::Target& target) {
  const std::tuple key(definitions_.Id(family), target.gfx, target.cu_num);
  try {
    // Reads this time before the demand. If demand arrives in between, the next call reads the
    // demand again, so no demand is missed.
    const std::string newest = DemandStore(pool_).NewestDemand(target.gfx, target.cu_num);
    {
      const std::lock_guard lock(mutex_);
      const auto known = known_.find(key);
      if (known != known_.end() && known->second.newest == newest) return known->second.counts;
    }
    auto counts = std::make_shared<const Counts>(
        newest.empty() ? Counts()
                       : Fold(family, DemandStore(pool_).ReadDemand(std::get<0>(key), target.gfx,
                                                                    target.cu_num)));
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMaxKnown) known_.clear();
    known_[key] = {newest, counts};
    return counts;
  } catch (const Unavailable& error) {
    spdlog::debug("cannot read the demand: {}", error.what());
    return std::make_shared<const Counts>();
  }
}

}  // namespace tunehub::server
