// What was looked up and not found: taken in as untuned tables, given out as what is worth tuning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/untuned_table.h"
#include "server/service/ingest.h"
#include "server/service/wanted.h"

namespace tunehub::service {

// Shapes in one write: as many as a batch of results is expected to hold.
inline constexpr std::size_t kMaxDemandRows = 100'000;
// A JSON body is taken apart in memory, at ten times its size; CSV is the format for more.
inline constexpr std::size_t kMaxDemandJsonBytes = 8 * 1024 * 1024;

class Demand {
 public:
  Demand(const Definitions& definitions, store::Store& store, const Snapshots& snapshots)
      : definitions_(definitions), store_(store), snapshots_(snapshots) {}

  // `target`: of rows that name none. Refusals: those of the readers, too_large, rejected_rows
  // (atomic), idempotency_key_reused.
  Written Post(const core::Family& family, std::string_view body, BodyFormat format,
               const core::DemandTarget& target, const WriteContext& context);

  // The miss lines of a log, whatever stands around them; `target` where they do not say.
  // Refusals: idempotency_key_reused.
  Written PostLogs(std::string_view log, const core::DemandTarget& target,
                   const WriteContext& context);

  // What the target's table lacks, the most wanted first, at most `limit`.
  std::vector<WantedShape> Untuned(const core::Family& family, const core::DemandTarget& target,
                                   bool raw, std::size_t limit);

 private:
  const Definitions& definitions_;
  store::Store& store_;
  const Snapshots& snapshots_;
};

}  // namespace tunehub::service
