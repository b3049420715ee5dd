// What was counted of models and families at a revision, as plain structs.
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

// Of a model on a target, over the tables that the usual engine reads for it there.
struct PointModel {
  std::string model, gfx;
  int cu_num = 0;
  int tp = 1;       // GPUs that it is split over
  int buckets = 0;  // of M, with a shape in them
  // The sum over them of the share of their shapes that find a tuned row. They weigh alike: demand
  // has no history.
  double covered = 0;
  std::int64_t shapes = 0, found = 0, baseline = 0, unmeasured = 0, missing = 0;

  bool operator==(const PointModel&) const = default;
  auto place() const { return std::tie(model, gfx, cu_num); }
  bool is_there() const { return shapes > 0; }
};

// Of a family's tuned rows of a target, as of the family's last revision.
struct PointFamily {
  std::int16_t family = 0;
  std::string gfx;
  int cu_num = 0;
  std::int64_t tuned = 0;     // keys
  std::int64_t measured = 0;  // of these, whose default was measured too
  double log_speedups = 0;    // of these the sum of ln(default / tuned)
  // The median of the revisions at which the rows came into force. Not of the times of their
  // measurements: a re-import moves those, and the history does not keep it.
  std::int64_t since = 0;

  bool operator==(const PointFamily&) const = default;
  auto place() const { return std::tie(family, gfx, cu_num); }
  bool is_there() const { return tuned > 0; }
};

// Sorted by their places. Of a stored point: what differs from the point before; what is no more
// there has no shapes, or no tuned keys.
struct PointRows {
  std::vector<PointModel> models;
  std::vector<PointFamily> families;
};

struct PointRecord {
  std::int64_t id = 0;
  core::Pin revision;
  std::string created;     // of the revision, RFC 3339
  std::int64_t at = 0;     // the same in microseconds since 1970
  std::string kind;        // of the revision
  bool filled_in = false;  // made afterwards, by the definitions of then
  int models_version = 0;
};

// The definitions that a point is made with, by their digests.
struct PointBasis {
  std::string models_sha256, models;  // the text that has the digest
  std::string targets_sha256;
  std::map<std::string, std::string> families;  // by name
};

// The first run of a gfx that said another version than those before it.
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

// The points that were made of the registry's history. Every call may throw Unavailable; calls are
// safe from any thread.
class PointStore {
 public:
  explicit PointStore(ConnectionPool& pool) : pool_(pool) {}

  // Revisions after `after_number`, of the last `days`, that are to have a point and are behind the
  // newest one: the newest `most`, in their order.
  std::vector<core::Pin> Due(std::int64_t after_number, int days, std::size_t most);
  // All of them, in their order.
  std::vector<PointRecord> List();
  // What the points behind `after` have, by their id.
  std::map<std::int64_t, PointRows> ReadRows(std::int64_t after);
  // Of a family as of a revision of it. `engine_says`: its keys name the engine.
  std::vector<PointFamily> ReadFamilies(std::int16_t family, std::int64_t revision,
                                        bool engine_says);

  // When revisions were made; those that are no more are left out.
  std::map<std::int64_t, std::string> ReadTimes(const std::set<std::int64_t>& revisions);

  // Stores the revision's point behind the point `before` (0: none). Nothing where another server
  // was first, the revision is no more, or a definition of `basis` is not in force.
  std::optional<std::int64_t> Add(const core::Pin& revision, const PointBasis& basis,
                                  std::int64_t before, const PointRows& rows);
  // Whether other models than these were the last that a point was made with, and these were used
  // before: they are those of an older server.
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
