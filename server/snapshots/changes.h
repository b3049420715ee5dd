// What changed lately, and of which target.
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

// A line names at most so many of its runs; it counts them all.
inline constexpr std::size_t kListedRuns = 5;

class Changes {
 public:
  using Heads = std::map<std::pair<std::string, int>, TargetHead>;  // by gfx, cu_num
  using Lines = std::vector<ChangeLine>;

  Changes(ConnectionPool& pool, const Snapshots& snapshots);

  // The revisions that last changed a family's targets; while the database is gone, or somebody
  // else asks it still at `until`, those known so far.
  Heads HeadsOf(const FamilySnapshot& snapshot, Turn::Clock::time_point until);

  // The lines of the last `days`, the newest first, at most `limit`. They are read again after
  // a minute, and after each revision; while the database is gone, or does not answer who asks it,
  // those that were read last stand. Throws Unavailable.
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
  std::mutex mutex_;  // never held while the database is asked
  Turn heads_turn_;   // guarded by mutex_, as is what follows
  std::map<std::int16_t, Known> known_;
  LastMade<std::pair<int, std::size_t>, Lines> lines_;  // by days and limit
};

}  // namespace tunehub::server
