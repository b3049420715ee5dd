// Demand in PostgreSQL. Times are RFC 3339 in UTC. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

// A shape's demand to add to the stored one.
struct DemandRow {
  core::Hash128 id;  // of family, target and shape
  std::int16_t family = 0;
  std::string gfx;    // "": any
  int cu_num = 0;     // 0: any
  std::string shape;  // JSON object
  std::int64_t count = 1;
};

struct DemandRecord : DemandRow {
  std::string first_seen, last_seen;
};

// The last record of a page: the next page begins after it.
struct DemandPage {
  std::int64_t count = 0;
  core::Hash128 id;
};

struct DemandFilter {
  std::optional<std::int16_t> family;
  std::optional<std::string> gfx;
  std::optional<int> cu_num;
  std::optional<DemandPage> after;
  std::size_t limit = 0;
};

class DemandStore {
 public:
  explicit DemandStore(ConnectionPool& pool) : pool_(pool) {}

  // Adds counts; `render` makes the receipt from the number of new shapes. Each id may occur only
  // once. Errors: idempotency_key_reused.
  core::Result<WriteOutcome> AddDemand(const WriteRequest& request,
                                       const std::vector<DemandRow>& rows,
                                       const std::function<std::string(std::size_t)>& render);
  // The most missed first.
  std::vector<DemandRecord> ListDemand(const DemandFilter& filter);
  // When demand last grew for the target, its gfx or no target, as text; "": no demand.
  std::string NewestDemand(const std::string& gfx, int cu_num);
  // All demand for the target, for its gfx and for no target.
  std::vector<DemandRecord> ReadDemand(std::int16_t family, const std::string& gfx, int cu_num);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
