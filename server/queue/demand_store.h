// Demand in PostgreSQL. Times are RFC 3339 in UTC. Every call may throw Unavailable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/row/target.h"
#include "server/db/writer.h"

namespace tunehub::server {

class ConnectionPool;

// A shape's demand, to add to the stored demand.
struct DemandRow {
  core::Hash128 id;  // hash of family, target and shape
  std::int16_t family = 0;
  std::string gfx;    // "": any
  int cu_num = 0;     // 0: any
  std::string shape;  // JSON object
  std::int64_t count = 1;
};

struct DemandRecord : DemandRow {
  std::string first_seen, last_seen;
};

// The last record of a page. The next page begins after this record.
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

// A family and the CU count in its shape keys.
struct DemandSource {
  std::int16_t family = 0;
  int cu_num = 0;
};

// Demand that claims no longer read: its id, and the job with its shape.
using DemandMarks = std::vector<std::pair<core::Hash128, std::int64_t>>;
inline constexpr std::int64_t kNoJob = 0;  // the shape is tuned, or no lookup uses it

// A place in the list of demand, which is sorted by the last miss. The default place is before all
// demand.
struct DemandPlace {
  std::string seen = "-infinity";
  core::Hash128 id = {};
};

class DemandStore {
 public:
  explicit DemandStore(ConnectionPool& pool) : pool_(pool) {}

  // Adds counts. `render` makes the receipt from the number of new shapes. Precondition: each id
  // occurs only once. Errors: idempotency_key_reused.
  core::Result<WriteOutcome> AddDemand(const WriteRequest& request,
                                       const std::vector<DemandRow>& rows,
                                       const std::function<std::string(std::size_t)>& render);
  // The most missed first.
  std::vector<DemandRecord> ListDemand(const DemandFilter& filter);
  // Returns the time, as text, at which demand last grew for the target, for its gfx or for no
  // target. Returns "" without demand.
  std::string NewestDemand(const std::string& gfx, int cu_num);
  // Returns the open demand of gfx and these families, the most missed first.
  std::vector<DemandRecord> ReadOpen(const std::string& gfx,
                                     const std::vector<DemandSource>& families, std::size_t limit);
  // `known`: the newest batch that the caller has read. Demand of rows that changed later stays
  // open.
  void Mark(const DemandMarks& marks, std::int64_t known);
  // Returns at most `limit` records after `place` that name no target or no CU count, but fit the
  // target. Moves `place` to the last record. At the end, moves `place` back by a minute, because
  // transactions may still commit older demand.
  std::vector<DemandRecord> ReadAny(const core::Target& target, std::size_t limit,
                                    DemandPlace& place);
  // Adds copies of demand from ReadAny for one target, unless the target has its own demand for the
  // shape.
  void Copy(const std::map<core::Hash128, DemandRow>& rows);
  // Returns all demand for the target, its gfx or any target, without copies.
  std::vector<DemandRecord> ReadDemand(std::int16_t family, const std::string& gfx, int cu_num);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
