// Computes everything that is stored again from the measurements, and says what does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/family/targets.h"
#include "server/db/connection_pool.h"

namespace tunehub::server {

// Of one kind of finding; the rest is counted.
inline constexpr std::size_t kMostSentences = 20;

struct Check {
  std::string of;                      // "tuned rows"
  std::int64_t wrong = 0;              // how many
  std::vector<std::string> sentences;  // of the first of them, with their numbers
};

struct VerifyReport {
  std::int64_t revision = 0, measurements = 0, digests = 0;  // that were looked at
  std::vector<Check> checks;

  std::int64_t wrong() const;
};

// Beside servers that write: each part is of one snapshot of the database. Throws Unavailable.
VerifyReport Verify(ConnectionPool& pool, const core::Targets& targets);

}  // namespace tunehub::server
