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

// A shape's demand to be added to what there is.
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

// Where a list of demand goes on: behind the last record of the page before.
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

  // Adds counts; `render` makes the receipt from the number of shapes that are new. Rows of one id
  // must be folded. Errors: idempotency_key_reused.
  core::Result<WriteOutcome> AddDemand(const WriteRequest& request,
                                       const std::vector<DemandRow>& rows,
                                       const std::function<std::string(std::size_t)>& render);
  // The most missed first.
  std::vector<DemandRecord> ListDemand(const DemandFilter& filter);
  // When the target's demand, its gfx's or any's last grew, as text to compare; "": there is none.
  std::string NewestDemand(const std::string& gfx, int cu_num);
  // All that is asked for by a target: for it, for its gfx, or for any.
  std::vector<DemandRecord> ReadDemand(std::int16_t family, const std::string& gfx, int cu_num);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
