// Lists recent changes, and finds the last change of each target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/db/connection_pool.h"
#include "server/snapshots/kept.h"
#include "server/snapshots/revision_records.h"
#include "server/snapshots/snapshots.h"

namespace tunehub::server {

// A line lists at most this many of its runs, but counts all its runs.
inline constexpr std::size_t kListedRuns = 5;

class Changes {
 public:
  using Heads = std::map<std::pair<std::string, int>, TargetHead>;  // by gfx, cu_num
  using Lines = std::vector<ChangeLine>;

  Changes(ConnectionPool& pool, const Snapshots& snapshots);

  // Returns, for each target of a family, the revision that last changed its rows. Returns only the
  // revisions in memory if the database does not respond, or if another thread still reads at
  // `until`.
  Heads HeadsOf(const FamilySnapshot& snapshot, Turn::Clock::time_point until);

  // Returns the lines of the last `days`, the newest first, at most `limit`. Reads them again after
  // a minute and after each revision. If the database does not respond, returns the last lines.
  // Throws Unavailable.
  std::shared_ptr<const Lines> Lately(int days, std::size_t limit);

 private:
  struct Known {
    core::Pin revision = {-1, ""};
    std::int64_t change = 0;
    int era = 0;
    Heads heads;
  };

  ConnectionPool& pool_;
  const Snapshots& snapshots_;
  std::mutex mutex_;  // never held during a query
  Turn heads_turn_;   // guarded by mutex_, as are the members below
  std::map<std::int16_t, Known> known_;
  LastMade<std::pair<int, std::size_t>, Lines> lines_;  // by days and limit
};

}  // namespace tunehub::server
