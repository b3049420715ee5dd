// Reads missed shapes from untuned tables and logs as demand, and lists shapes that need tuning.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/shapes/shape.h"
#include "core/table/untuned_table.h"
#include "server/answers/shapes.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/queue/demand_store.h"
#include "server/queue/job_store.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

inline constexpr std::size_t kMaxDemandRows = kMaxBodyShapes;  // the most rows in one write

struct MissingShape {
  const core::Family* family;
  DemandRecord record;
  core::FamilyShape to_tune;   // the shape to tune for the record's shape
  std::optional<OpenJob> job;  // the job that will tune it
};

struct MissingPage {
  std::vector<MissingShape> shapes;  // the most missed first
  std::optional<DemandPage> next;    // start of the next page; absent: this is the last page
};

class Demand {
 public:
  Demand(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots)
      : store(pool), definitions_(definitions), pool_(pool), snapshots_(snapshots) {}

  // Adds an untuned table to the demand. `target`: for rows without a target. Refusals: those of
  // ReadShapesBody, rejected_rows (if atomic), key_limited, idempotency_key_reused.
  WriteAnswer Post(const core::Family& family, std::string_view body, BodyFormat format,
                   const core::Target& target, const WriteRequest& write);

  // Reads the misses in a log. `target`: for lines without a target. Refusals: key_limited,
  // idempotency_key_reused.
  WriteAnswer PostLogs(std::string_view log, const core::Target& target, const WriteRequest& write);

  // At most `filter.limit` untuned shapes of the filter's demand, with the jobs that will tune
  // them. A miss without a target or CU count counts as tuned as soon as any fitting target has
  // tuned the shape. A page may be shorter than its limit even if there is a next page. Throws
  // Unavailable.
  MissingPage ListMissing(DemandFilter filter);

  // At most `limit` shapes that are missing from the target's table, the most missed first.
  std::vector<core::ShapeDemand> Untuned(const core::Family& family, const core::Target& target,
                                         std::size_t limit);

  DemandStore store;  // all demand, tuned or not

 private:
  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::server
