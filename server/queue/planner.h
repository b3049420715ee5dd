// Makes jobs: of demand, of the gaps between a target's table and others', of shapes that people
// name. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/queue/job_store.h"
#include "server/queue/missing.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// A job should end within the patience of somebody who watches it.
inline constexpr std::size_t kDefaultJobShapes = 16, kMaxJobShapes = 256;
// One plan: more than a target's whole table today.
inline constexpr std::size_t kMaxPlannedShapes = 100'000;

// A shape that is asked for by its name, as a lookup can use it.
struct NamedShape {
  const core::Family* family = nullptr;
  core::FamilyShape shape;
  std::int64_t count = 0;  // how often it was missed
};

struct PlanRequest {
  core::Target target;                        // both known
  std::vector<const core::Family*> families;  // with times: others cannot be tuned
  const char* purpose = kTune;                // kMeasure: `shapes`, tuned or not, and no others
  std::string campaign;                       // "": none
  int priority = 0;
  std::size_t shapes_per_job = kDefaultJobShapes;
  bool from_demand = true;
  bool from_other_targets = false;  // every shape that any target has tuned
  bool untried_only = false;        // leaves out what a job that is done held, too
  std::vector<NamedShape> shapes;   // what else is asked for
  // Of more shapes than one plan takes, plans those that are missed most; else it is refused.
  bool in_parts = false;
};

struct Planned {
  WriteAnswer answer;    // the receipt says what was planned
  std::size_t jobs = 0;  // made by this call: none by a replay
  std::size_t left = 0;  // shapes for another plan, where it may be made in parts
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
