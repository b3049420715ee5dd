// Points: counts of models and families at a revision, as plain structs.
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

// Counts of a model on a target, over the tables that the usual engine reads there.
struct PointModel {
  std::string model, gfx;
  int cu_num = 0;
  int tp = 1;       // GPUs that it is split over
  int buckets = 0;  // buckets of M with a shape
  // The share of shapes with a tuned row, summed over the buckets. All buckets have the same
  // weight, because the hub keeps no history of demand.
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
  std::int64_t tuned = 0;     // keys
  std::int64_t measured = 0;  // tuned keys whose default was measured
  double log_speedups = 0;    // the sum of ln(default / tuned) over the measured keys
  std::int64_t since = 0;     // the median of the revisions since which the rows are served

  bool operator==(const PointFamily&) const = default;
  auto place() const { return std::tie(family, gfx, cu_num); }
  bool is_there() const { return tuned > 0; }
};

// Sorted by place. A stored point has only the changes since the previous point. A removed entry
// has zero shapes or tuned keys.
struct PointRows {
  std::vector<PointModel> models;
  std::vector<PointFamily> families;
};

struct PointRecord {
  std::int64_t id = 0;
  core::Pin revision;
  std::string created;     // time of the revision, RFC 3339
  std::int64_t at = 0;     // `created` in microseconds since 1970
  std::string kind;        // of the revision
  bool filled_in = false;  // made late, with the definitions of the later time
  int models_version = 0;
};

// Digests of the definitions behind a point.
struct PointBasis {
  std::string models_sha256, models;  // `models`: the text with the digest
  std::string targets_sha256;
  std::map<std::string, std::string> families;  // by name
};

// A version of a tool that is new on the gfx, and the first run that has it.
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

class ConnectionPool;

// Reads and adds stored points. Every call may throw Unavailable. Thread-safe.
class PointStore {
 public:
  explicit PointStore(ConnectionPool& pool) : pool_(pool) {}

  // Revisions that need a point, after `after_number` and after the newest point, within the last
  // `days`. Returns the newest `most`, in ascending order.
  std::vector<core::Pin> Due(std::int64_t after_number, int days, std::size_t most);
  std::vector<PointRecord> List();
  // The changes of points after `after`, by point id.
  std::map<std::int64_t, PointRows> ReadRows(std::int64_t after);
  // A family's counts at a revision. `engine_says`: the family's shape keys name the engine.
  std::vector<PointFamily> ReadFamilies(std::int16_t family, std::int64_t revision,
                                        bool engine_says);

  // The creation times of those `revisions` that exist.
  std::map<std::int64_t, std::string> ReadTimes(const std::set<std::int64_t>& revisions);

  // Stores the revision's point after the point `before` (0: none), and returns its id. Absent:
  // another server was first, the revision is lost, or a definition of `basis` is not in force.
  std::optional<std::int64_t> Add(const core::Pin& revision, const PointBasis& basis,
                                  std::int64_t before, const PointRows& rows);
  // True if these models made earlier points, and other models made the last point. Then this
  // server is older.
  bool AreOlderModels(const std::string& sha256);

  // The newest `most` of the last `days`, the newest first.
  std::vector<ImportEvent> ListImports(int days, std::size_t most,
                                       std::optional<std::int16_t> family);
  std::vector<ToolchainBump> ListToolchains(int days, std::size_t most,
                                            const std::vector<std::string>& names);

 private:
  ConnectionPool& pool_;
};

}  // namespace tunehub::server
