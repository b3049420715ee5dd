// Makes jobs: of demand, of the gaps between a target's table and others', of shapes that people
// name. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/shapes/shape.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/queue/demand_store.h"
#include "server/queue/job_store.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshot.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// A job should end within the patience of somebody who watches it.
inline constexpr std::size_t kDefaultJobShapes = 16, kMaxJobShapes = 256;
// One plan: more than a target's whole table today.
inline constexpr std::size_t kMaxPlannedShapes = 100'000;

// The key of the row that the shape has on the target, or on any of what the target leaves open.
core::Hash128 RowKeyOf(const core::Family& family, const core::FamilyShape& shape,
                       const core::Target& target);

// Whether the target's table has a row for exactly this shape that was measured and is no baseline
// (of a family without times: declared), by the provider that the target is served by default.
bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target);

// The shape that a lookup of it can use (core/shapes/padded_m.h).
core::FamilyShape ForLookup(const core::Family& family, core::FamilyShape shape);

// The demand that one target has not tuned yet, by the shape's order key without a target: equal
// keys are equal shapes.
using DemandByShape = std::map<std::string, core::ShapeDemand>;

// The shapes of demand that are not tuned for the target. Where not `raw`, each is the one that a
// lookup of it can use; a demand is met by a row of either. `met`, where not null, counts shapes
// that were left out.
DemandByShape UntunedDemand(const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand,
                            const core::Target& target, bool raw, std::size_t* met = nullptr);

// The most missed first, then in the order of the table's rows.
std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand);

struct PlanRequest {
  core::Target target;                        // both known
  std::vector<const core::Family*> families;  // with times: others cannot be tuned
  std::string purpose = kTune;                // kMeasure: `shapes`, tuned or not, and no others
  std::string campaign;                       // "": none
  int priority = 0;
  std::size_t shapes_per_job = kDefaultJobShapes;
  bool from_demand = true;
  bool from_other_targets = false;  // every shape that any target has tuned
  // What else is asked for, of one family alone; as a lookup can use it.
  std::vector<core::ShapeDemand> shapes;
  // Leaves out what a job that is done held, too. Of more shapes than one plan takes, plans those
  // that are missed most; else it is refused.
  bool of_claim = false;
};

struct Planned {
  WriteAnswer answer;    // the receipt says what was planned
  std::size_t jobs = 0;  // made by this call: none by a replay
  std::size_t left = 0;  // shapes for another plan, where a claim asks for it
};

// What measures `shapes` of one target again, less what the open jobs hold.
std::vector<JobContent> JobsToMeasure(const core::Family& family, std::int16_t id,
                                      const core::Target& target,
                                      const std::vector<core::FamilyShape>& shapes,
                                      const std::vector<JobContent>& open);

// The shape of a tuned row's line.
core::FamilyShape ShapeOfLine(const core::Family& family, const std::string& line);

class Planner {
 public:
  Planner(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots)
      : definitions_(definitions), pool_(pool), snapshots_(snapshots) {}

  // The receipt: what was planned, and per family how many shapes were wanted, are tuned, cannot be
  // looked up on that target, stand in open jobs. Refusals: too_many_shapes,
  // idempotency_key_reused.
  Planned Plan(const PlanRequest& request, const WriteRequest& write);

 private:
  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::server
