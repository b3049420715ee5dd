// Plans jobs: for demand, for shapes that only other targets have tuned, and for shapes named by
// people. Every call may throw Unavailable.
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

// A job should end while somebody still watches it.
inline constexpr std::size_t kDefaultJobShapes = 16, kMaxJobShapes = 256;
// The maximum of shapes in one plan: more than a target's whole table.
inline constexpr std::size_t kMaxPlannedShapes = 100'000;

// The shape key of the shape on the target. The target's gfx or CU count may be open.
core::Hash128 RowKeyOf(const core::Family& family, const core::FamilyShape& shape,
                       const core::Target& target);

// True if the default provider has a measured row for exactly this shape on the target. A baseline
// does not count. In a family without times, a declared row counts.
bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target);

// A target's untuned demand. The map's key is the shape's sortable bytes (`order`) without the
// target. Equal shapes have the same key.
using DemandByShape = std::map<std::string, core::ShapeDemand>;

// The shapes of demand that the target has not tuned. `met`, if not null, gets the ids of all other
// demand.
DemandByShape UntunedDemand(const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand,
                            const core::Target& target, std::vector<core::Hash128>* met = nullptr);

// The most missed shapes first, then in the order of the table's rows.
std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand);

struct PlanRequest {
  core::Target target;                        // gfx and CU count are known
  std::vector<const core::Family*> families;  // families with times; others cannot be tuned
  std::string purpose = kTune;                // kVerify: exactly `shapes`, tuned or not
  std::string campaign;                       // "": none
  std::string why;                            // of kVerify: JobContent::why
  int priority = 0;
  std::size_t shapes_per_job = kDefaultJobShapes;
  bool from_demand = true;
  bool from_other_targets = false;  // every shape that any target has tuned
  // More shapes, of one family, in the form for lookups.
  std::vector<core::ShapeDemand> shapes;
  // Plans at most kMaxJobShapes of the target's open demand, the most missed first. Omits shapes
  // that are in an open or a done job.
  bool of_claim = false;
};

struct Planned {
  WriteAnswer answer;    // the receipt describes the plan
  std::size_t jobs = 0;  // jobs made by this call; 0 for a replay
};

struct FamilyPlan;

// Jobs that verify `shapes` of one target, without shapes in open jobs. `why`: see JobContent.
std::vector<JobContent> JobsToVerify(const core::Family& family, std::int16_t id,
                                     const core::Target& target,
                                     const std::vector<core::FamilyShape>& shapes,
                                     const std::vector<JobContent>& open, const std::string& why);

// The shape of a tuned row's line.
core::FamilyShape ShapeOfLine(const core::Family& family, const std::string& line);

class Planner {
 public:
  Planner(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots)
      : definitions_(definitions), pool_(pool), snapshots_(snapshots) {}

  // The receipt contains the planned jobs, and counts of each family's shapes: wanted, tuned, never
  // looked up on the target, and in open jobs. Refusals: too_many_shapes, idempotency_key_reused.
  Planned Plan(const PlanRequest& request, const WriteRequest& write);

 private:
  std::vector<FamilyPlan> GatherAll(const PlanRequest& request);

  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::server
