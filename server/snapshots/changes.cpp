#include "server/snapshots/changes.h"

#include <spdlog/spdlog.h>

#include "server/snapshots/revision_store.h"

namespace tunehub::server {

using namespace std::chrono_literals;

// The lines expire even without a new revision. Clients choose days and limit, so the cache has a
// bounded size.
Changes::Changes(ConnectionPool& pool, const Snapshots& snapshots)
    : pool_(pool),
      snapshots_(snapshots),
      lines_({.fresh = 1min,
              .patience = 2s,
              .first_patience = 30s,
              .most = 64,
              .unfinished = "the recent changes are being read"}) {}

Changes::Heads Changes::HeadsOf(const FamilySnapshot& snapshot, Turn::Clock::time_point until) {
  std::unique_lock lock(mutex_);
  Known& known = known_[snapshot.id];
  if (known.era != snapshot.era) {
    known = {};
    known.era = snapshot.era;
  }
  const auto is_known = [&] { return known.revision == snapshot.revision; };
  if (snapshots_.MayLack() || !heads_turn_.Take(lock, until, is_known)) return known.heads;
  // Within an era the database never loses changes, so this thread reads only later changes.
  const std::int64_t after = known.change;
  try {
    auto read = heads_turn_.Outside(lock, [&] {
      const bool engine_says = snapshot.family->engine != core::kNoColumn;
      return RevisionStore(pool_).ReadTargetHeads(snapshot.id, after, engine_says);
    });
    // Another thread may have cleared `known` for another era.
    if (known.era != snapshot.era || known.change != after) return known.heads;
    for (TargetHead& head : read) {
      known.change = std::max(known.change, head.change);
      std::pair target(head.gfx, head.cu_num);
      known.heads[std::move(target)] = std::move(head);
    }
    known.revision = snapshot.revision;
  } catch (const Unavailable& error) {
    spdlog::debug("cannot read the targets' revisions: {}", error.what());
  }
  return known.heads;
}

std::shared_ptr<const Changes::Lines> Changes::Lately(int days, std::size_t limit) {
  const auto state = [&] { return snapshots_.Current()->revision.Text(); };
  return lines_.Get({days, limit}, snapshots_.silent(), state,
                    [&] { return RevisionStore(pool_).ListChanges(days, limit, kListedRuns); });
}

}  // namespace tunehub::server
