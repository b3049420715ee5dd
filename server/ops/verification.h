// Computes all stored results again from the measurements, and reports the differences.
#pragma once

#include <cstdint>
#include <vector>

#include "core/family/targets.h"
#include "server/db/connection_pool.h"
#include "server/ops/verify_store.h"

namespace tunehub::server {

struct VerifyReport {
  std::int64_t revision = 0, measurements = 0, digests = 0;  // the checked numbers
  std::int64_t all_digests = 0;
  std::vector<Check> checks;

  std::int64_t wrong() const;
};

// Each digest needs the rendering of a whole old table: rows times revisions. Together the
// renderings take at most about rows_each times as many rows as there are measurements. Above that,
// only the newest digests are checked.
struct VerifyDepth {
  bool all = false;
  std::int64_t rows_each = 4, least_rows = 100'000;
};

// Servers may write at the same time, because each part reads one snapshot of the database. Throws
// Unavailable.
VerifyReport Verify(ConnectionPool& pool, const core::Targets& targets,
                    const VerifyDepth& depth = {});

}  // namespace tunehub::server
