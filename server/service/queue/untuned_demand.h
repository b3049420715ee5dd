// The demand that one target has not tuned yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/shapes/shape_demand.h"
#include "server/service/registry/snapshot.h"
#include "server/store/queue/queue_records.h"

namespace tunehub::service {

// By the shape's order key without a target: equal keys are equal shapes.
using DemandByShape = std::map<std::string, core::ShapeDemand>;

// Adds `count` to how often the shape was missed.
void AddDemand(const core::Family& family, core::FamilyShape shape, std::int64_t count,
               DemandByShape& demand);

// Whether the target's table has a row for exactly this shape that was measured and is no baseline
// (of a family without times: declared), by the provider that the target is served by default.
bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target);

// The shape that a lookup of it can use (core/shapes/lookup_shape.h).
core::FamilyShape ForLookup(const core::Family& family, core::FamilyShape shape);

// The shapes of demand that are not tuned for the target. Where not `raw`, each is the one that a
// lookup of it can use; a demand is met by a row of either. `met`, where not null, counts shapes
// that were left out.
DemandByShape UntunedDemand(const FamilySnapshot& snapshot,
                            const std::vector<store::DemandRecord>& demand,
                            const core::Target& target, bool raw, std::size_t* met = nullptr);

// The most missed first, then in the order of the table's rows.
std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand);

}  // namespace tunehub::service
