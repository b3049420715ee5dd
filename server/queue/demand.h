// What was looked up and not found: taken in as untuned tables, given out as what is worth tuning.
#pragma once

#include <string_view>
#include <vector>

#include "core/table/untuned_table.h"
#include "server/answers/shapes.h"
#include "server/db/connection_pool.h"
#include "server/db/writer.h"
#include "server/queue/demand_store.h"
#include "server/queue/missing.h"
#include "server/snapshots/definitions.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

inline constexpr std::size_t kMaxDemandRows = kMaxBodyShapes;  // in one write

class Demand {
 public:
  Demand(const Definitions& definitions, ConnectionPool& pool, const Snapshots& snapshots)
      : definitions_(definitions), pool_(pool), snapshots_(snapshots) {}

  // `target`: of rows that name none. Refusals: those of the readers, too_large, rejected_rows
  // (atomic), key_limited, idempotency_key_reused.
  WriteAnswer Post(const core::Family& family, std::string_view body, BodyFormat format,
                   const core::Target& target, const WriteRequest& write);

  // The miss lines of a log, whatever stands around them; `target` where they do not say.
  // Refusals: key_limited, idempotency_key_reused.
  WriteAnswer PostLogs(std::string_view log, const core::Target& target, const WriteRequest& write);

  // All that was asked for, tuned or not, the most missed first.
  std::vector<DemandRecord> List(const DemandFilter& filter) const;
  // Of it what is not tuned yet, and by which job it will be; as of FindMissing.
  MissingPage ListMissing(DemandFilter filter) const;

  // What the target's table lacks, the most missed first, at most `limit`.
  std::vector<core::ShapeDemand> Untuned(const core::Family& family, const core::Target& target,
                                         bool raw, std::size_t limit);

 private:
  const Definitions& definitions_;
  ConnectionPool& pool_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::server
