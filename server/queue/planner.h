// Plans jobs: for demand, for shapes that only other targets have tuned, and for shapes that a user
// names. Every call may throw Unavailable.
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

// Numbers of shapes in a job. They are small, so that a job ends in a reasonable time.
inline constexpr std::size_t kDefaultJobShapes = 16, kMaxJobShapes = 256;
// The most shapes in one plan: more than a target's whole table.
inline constexpr std::size_t kMaxPlannedShapes = 100'000;

// Returns the shape key of the shape on the target. The target's gfx may be "" (any), and its CU
// count 0 (any).
core::Hash128 RowKeyOf(const core::Family& family, const core::FamilyShape& shape,
                       const core::Target& target);

// True if the default provider has a measured row for exactly this shape on the target. A baseline
// does not count. In a family without times, a declared row counts.
bool IsTuned(const FamilySnapshot& snapshot, const core::FamilyShape& shape,
             const core::Target& target);

// A target's untuned demand. The map's index is the shape's sort key without a target, which equal
// shapes share.
using DemandByShape = std::map<std::string, core::ShapeDemand>;

// Returns the shapes of demand that the target has not tuned. If `met` is not null, it receives the
// ids of all other demand.
DemandByShape UntunedDemand(const FamilySnapshot& snapshot, const std::vector<DemandRecord>& demand,
                            const core::Target& target, std::vector<core::Hash128>* met = nullptr);

// Sorts shapes by their misses, the most missed first, then in the order of the table's rows.
std::vector<core::ShapeDemand> MostMissedFirst(DemandByShape demand);

struct PlanRequest {
  core::Target target;                        // with a known gfx and CU count
  std::vector<const core::Family*> families;  // families with times; others cannot be tuned
  std::string purpose = kTune;                // kVerify: exactly `shapes`, tuned or not
  std::string campaign;                       // "": none
  std::string why;                            // JobContent::why, for kVerify
  int priority = 0;
  std::size_t shapes_per_job = kDefaultJobShapes;
  bool from_demand = true;
  bool from_other_targets = false;  // true: plan every shape that any target has tuned
  // More shapes of one family, mapped by LookupShape.
  std::vector<core::ShapeDemand> shapes;
  // True: plans at most kMaxJobShapes shapes of the target's open demand, the most missed first.
  // Leaves out shapes of open and done jobs.
  bool of_claim = false;
};

struct Planned {
  WriteAnswer answer;    // the receipt describes the plan
  std::size_t jobs = 0;  // jobs made by this call; 0 for a replay
};

struct FamilyPlan;

// Returns jobs that verify `shapes` of one target, without shapes in open jobs. `why`: see
// JobContent.
std::vector<JobContent> JobsToVerify(const core::Family& family, std::int16_t id,
                                     const core::Target& target,
                                     const std::vector<core::FamilyShape>& shapes,
                                     const std::vector<JobContent>& open, const std::string& why);

// Returns the shape of a tuned row's line.
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
