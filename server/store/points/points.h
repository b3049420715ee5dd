// The points that were made of the registry's history. Every call may throw Unavailable; calls are
// safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/store/points/point_records.h"

namespace tunehub::store {

class ConnectionPool;

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

}  // namespace tunehub::store
