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
  std::vector<Check> checks;

  std::int64_t wrong() const;
};

// Servers may write meanwhile: each part reads one snapshot of the database. Throws Unavailable.
VerifyReport Verify(ConnectionPool& pool, const core::Targets& targets);

}  // namespace tunehub::server
