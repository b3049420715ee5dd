// Reads and stores points: counts of models and families at a revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/pin.h"

namespace tunehub::server {

// Counts of a model on a target, over the tables that the usual engine reads on the target.
struct PointModel {
  std::string model, gfx;
  int cu_num = 0;
  int tp = 1;       // number of GPUs over which the model is split
  int buckets = 0;  // number of buckets of M with a shape
  // The share of shapes with a tuned row, summed over the buckets. All buckets have the same
  // weight, because the hub does not store the history of demand.
  double covered = 0;
  std::int64_t shapes = 0, found = 0, baseline = 0, unmeasured = 0, missing = 0;

  bool operator==(const PointModel&) const = default;
  auto place() const { return std::tie(model, gfx, cu_num); }
  bool is_there() const { return shapes > 0; }
};

// Counts of a family's tuned rows on a target, at the family's last revision.
struct PointFamily {
  std::int16_t family = 0;
  std::string gfx;
  int cu_num = 0;
  std::int64_t tuned = 0;     // number of keys
  std::int64_t measured = 0;  // tuned keys whose default was measured
  double log_speedups = 0;    // the sum of ln(default / tuned) over the measured keys
  // for each row, the revision since which it is served; the median over the rows
  std::int64_t since = 0;

  bool operator==(const PointFamily&) const = default;
  auto place() const { return std::tie(family, gfx, cu_num); }
  bool is_there() const { return tuned > 0; }
};

// Sorted by place. A stored point contains only the changes since the previous point. A removed
// entry has zero shapes or tuned keys.
struct PointRows {
  std::vector<PointModel> models;
  std::vector<PointFamily> families;
};

struct PointRecord {
  std::int64_t id = 0;
  core::Pin revision;
  std::string created;  // time of the revision, RFC 3339
  std::int64_t at = 0;  // `created` in microseconds since 1970
  std::string kind;     // the revision's kind
  // true: made later than the revision, with the definitions of that later time
  bool filled_in = false;
  int models_version = 0;
};

// Digests of the definitions with which a point was made.
struct PointBasis {
  std::string models_sha256, models;  // `models`: the text with the digest
  std::string targets_sha256;
  std::map<std::string, std::string> families;  // by name
};

// A version of a tool that is new on the gfx, and the first run with this version.
struct ToolchainBump {
  std::string gfx, name, version;  // "gfx942", "rocm", "7.1"
  std::int64_t run = 0;
  std::string at;
};

// A revision that an import or a revert made.
struct ImportEvent {
  core::Pin revision;
  std::string at, kind, cause;
  std::int64_t run = 0;  // 0: none
};

struct RevisionTime {
  core::Pin revision;
  std::string created;
};
using RevisionTimes = std::map<std::int64_t, RevisionTime>;  // by number

class ConnectionPool;

// Reads and adds stored points. Every call may throw Unavailable. Thread-safe.
class PointStore {
 public:
  explicit PointStore(ConnectionPool& pool) : pool_(pool) {}

  // Returns revisions that need a point: after `after_number`, after the newest point, and within
  // the last `days`. Returns the newest `most` of them, in ascending order.
  std::vector<core::Pin> Due(std::int64_t after_number, int days, std::size_t most);
  std::vector<PointRecord> List();
  // Returns the changes of points after `after`, by point id.
  std::map<std::int64_t, PointRows> ReadRows(std::int64_t after);
  // Returns a family's counts at a revision. `engine_says`: true if the family's shape keys name
  // the engine.
  std::vector<PointFamily> ReadFamilies(std::int16_t family, std::int64_t revision,
                                        bool engine_says);

  // Returns the pins and creation times of those `revisions` that exist.
  RevisionTimes ReadTimes(const std::set<std::int64_t>& revisions);

  // Stores the revision's point after the point `before` (0: none), and returns its id. Returns
  // nothing if another server was first, if the revision is lost, or if a definition of `basis` is
  // not in force.
  std::optional<std::int64_t> Add(const core::Pin& revision, const PointBasis& basis,
                                  std::int64_t before, const PointRows& rows);
  // True if earlier points were made with these models, but the last point with other models. Then
  // this server is an older program.
  bool AreOlderModels(const std::string& sha256);

  // Returns the newest `most` events of the last `days`, the newest first.
  std::vector<ImportEvent> ListImports(int days, std::size_t most,
                                       std::optional<std::int16_t> family);
  std::vector<ToolchainBump> ListToolchains(int days, std::size_t most,
                                            const std::vector<std::string>& names);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
