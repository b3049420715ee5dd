// What was missed and is still not tuned, with what becomes of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/shapes/shape.h"
#include "core/shapes/shape_demand.h"
#include "server/db/connection_pool.h"
#include "server/queue/demand_store.h"
#include "server/queue/job_store.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshot.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// The key of the row that the shape has on the target, or on any of what the target leaves open.
core::Hash128 RowKeyOf(const core::Family& family, const core::FamilyShape& shape,
                       const core::Target& target);

// The demand that one target has not tuned yet, by the shape's order key without a target: equal
// keys are equal shapes.
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
DemandByShape UntunedDemand(const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand,
                            const core::Target& target, bool raw, std::size_t* met = nullptr);

// The most missed first, then in the order of the table's rows.
std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand);

// How often each shape was missed, folded to the shapes that lookups use: read again only after the
// demand has grown, because thousands of shapes take longer to read than a coverage to count.
class DemandCounts {
 public:
  DemandCounts(const Definitions& definitions, ConnectionPool& pool)
      : definitions_(definitions), pool_(pool) {}

  using Counts = std::unordered_map<std::string, std::int64_t>;  // by order key without a target

  // Of the target's demand. Without the database: none.
  std::shared_ptr<const Counts> Of(const core::Family& family, const core::Target& target);

 private:
  struct Known {
    std::string newest;  // the state of the demand that `counts` is of
    std::shared_ptr<const Counts> counts;
  };

  const Definitions& definitions_;
  ConnectionPool& pool_;
  std::mutex mutex_;
  std::map<std::tuple<std::int16_t, std::string, int>, Known> known_;
};

struct MissingShape {
  DemandRecord record;         // as it was missed
  core::FamilyShape to_tune;   // the shape that a lookup of it can use
  std::optional<OpenJob> job;  // that will tune it
};

struct MissingPage {
  std::vector<MissingShape> shapes;  // the most missed first
  std::optional<DemandPage> next;    // where to go on; absent: there is no more
};

// At most `filter.limit` shapes of the filter's demand that are not tuned for their target. What
// was missed on any CU count, or any target, is tuned where some target that fits has it. A page
// may be short of its limit, and have a next. Throws Unavailable.
MissingPage FindMissing(ConnectionPool& pool, const Snapshots& snapshots, DemandFilter filter);

}  // namespace tunehub::server
