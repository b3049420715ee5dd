// Counts misses per shape, as weights.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/row/target.h"
#include "server/db/connection_pool.h"
#include "server/snapshots/definitions.h"

namespace tunehub::server {

// Counts misses per shape of lookups. Reads the counts again only after the demand has grown,
// because reading thousands of shapes takes longer than computing a coverage.
class DemandCounts {
 public:
  DemandCounts(const Definitions& definitions, ConnectionPool& pool)
      : definitions_(definitions), pool_(pool) {}

  using Counts = std::unordered_map<std::string, std::int64_t>;  // by sort key without a target

  // Returns the counts of the target's demand. Empty if the database does not respond.
  std::shared_ptr<const Counts> Of(const core::Family& family, const core::Target& target);

 private:
  struct Known {
    std::string newest;  // the state of the demand at the time of `counts`
    std::shared_ptr<const Counts> counts;
  };

  const Definitions& definitions_;
  ConnectionPool& pool_;
  std::mutex mutex_;
  std::map<std::tuple<std::int16_t, std::string, int>, Known> known_;
};

}  // namespace tunehub::server
