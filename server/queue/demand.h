// What was looked up and not found: taken in as untuned tables, given out as what is worth tuning.
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

inline constexpr std::size_t kMaxDemandRows = kMaxBodyShapes;  // in one write

struct MissingShape {
  const core::Family* family;
  DemandRecord record;         // as it was missed
  core::FamilyShape to_tune;   // the shape that a lookup of it can use
  std::optional<OpenJob> job;  // that will tune it
};

struct MissingPage {
  std::vector<MissingShape> shapes;  // the most missed first
  std::optional<DemandPage> next;    // where to go on; absent: there is no more
};

class Demand {
 public:
  Demand(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots)
      : store(pool), definitions_(definitions), pool_(pool), snapshots_(snapshots) {}

  // `target`: of rows that name none. Refusals: those of the readers, too_large, rejected_rows
  // (atomic), key_limited, idempotency_key_reused.
  WriteAnswer Post(const core::Family& family, std::string_view body, BodyFormat format,
                   const core::Target& target, const WriteRequest& write);

  // The miss lines of a log, whatever stands around them; `target` where they do not say.
  // Refusals: key_limited, idempotency_key_reused.
  WriteAnswer PostLogs(std::string_view log, const core::Target& target, const WriteRequest& write);

  // At most `filter.limit` shapes of the filter's demand that are not tuned for their target, and
  // by which job each will be. What was missed on any CU count, or any target, is tuned where some
  // target that fits has it. A page may be short of its limit, and have a next. Throws Unavailable.
  MissingPage ListMissing(DemandFilter filter);

  // What the target's table lacks, the most missed first, at most `limit`.
  std::vector<core::ShapeDemand> Untuned(const core::Family& family, const core::Target& target,
                                         bool raw, std::size_t limit);

  DemandStore store;  // of all that was asked for, tuned or not

 private:
  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::server
