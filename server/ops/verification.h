// Computes everything stored again from the measurements, and reports what does not hold.
#pragma once

#include <cstdint>
#include <vector>

#include "core/family/targets.h"
#include "server/db/connection_pool.h"
#include "server/ops/verify_store.h"

namespace tunehub::server {

struct VerifyReport {
  std::int64_t revision = 0, measurements = 0, digests = 0;  // checked ones
  std::int64_t all_digests = 0;
  std::vector<Check> checks;

  std::int64_t wrong() const;
};

// Digests take the rendering of a whole old table each: rows times revisions. Together they take
// about as many rows as there are measurements, times rows_each; then only newest ones are checked.
struct VerifyDepth {
  bool all = false;
  std::int64_t rows_each = 4, least_rows = 100'000;
};

// Servers may write meanwhile: each part reads one snapshot of the database. Throws Unavailable.
VerifyReport Verify(ConnectionPool& pool, const core::Targets& targets,
                    const VerifyDepth& depth = {});

}  // namespace tunehub::server
