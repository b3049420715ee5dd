// Computes all stored results again from the measurements, and reports the differences.
#pragma once

#include <cstdint>
#include <vector>

#include "core/family/targets.h"
#include "server/db/connection_pool.h"
#include "server/ops/verify_store.h"

namespace tunehub::server {

struct VerifyReport {
  std::int64_t revision = 0, measurements = 0, digests = 0;  // how many were checked
  std::int64_t all_digests = 0;
  std::vector<Check> checks;

  std::int64_t wrong() const;
};

// To check a digest, the hub renders a whole old table. All renderings together read at most about
// rows_each rows per measurement. Above this limit, the hub checks only the newest digests.
struct VerifyDepth {
  bool all = false;
  std::int64_t rows_each = 4, least_rows = 100'000;
};

// Each part reads one snapshot of the database, so servers may write at the same time. Throws
// Unavailable.
VerifyReport Verify(ConnectionPool& pool, const core::Targets& targets,
                    const VerifyDepth& depth = {});

}  // namespace tunehub::server
