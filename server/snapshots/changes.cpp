#include "server/snapshots/changes.h"

#include <spdlog/spdlog.h>

#include "server/snapshots/revision_store.h"

namespace tunehub::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kFresh{1};  // without a new revision, too, lines get too old
// Whoever asks chooses days and limit: when so many answers are kept, all are forgotten.
constexpr std::size_t kMostTold = 64;
// With whoever asks: where older lines are there, and where none are.
constexpr std::chrono::seconds kPatience{2}, kFirstPatience{30};

}  // namespace

Changes::Heads Changes::HeadsOf(const FamilySnapshot& snapshot, Turn::Clock::time_point until) {
  std::unique_lock lock(mutex_);
  Known& known = known_[snapshot.id];
  if (known.era != snapshot.era) {
    known = {};
    known.era = snapshot.era;
  }
  const auto is_known = [&] { return known.revision == snapshot.revision; };
  if (snapshots_.MayLack() || !heads_turn_.Take(lock, until, is_known)) return known.heads;
  // Within an era changes are never taken back: only those after the last known one are read.
  const std::int64_t after = known.change;
  try {
    auto read = heads_turn_.Outside(lock, [&] {
      const bool engine_says = snapshot.family->engine != core::kNoColumn;
      return RevisionStore(pool_).ReadTargetHeads(snapshot.id, after, engine_says);
    });
    // Meanwhile somebody may have begun anew, with a snapshot of another era.
    if (known.era != snapshot.era || known.change != after) return known.heads;
    for (TargetHead& head : read) {
      known.change = std::max(known.change, head.change);
      std::pair target(head.gfx, head.cu_num);
      known.heads[std::move(target)] = std::move(head);
    }
    known.revision = snapshot.revision;
  } catch (const Unavailable& error) {
    spdlog::debug("without the targets' revisions: {}", error.what());
  }
  return known.heads;
}

std::shared_ptr<const Changes::Lines> Changes::Lately(int days, std::size_t limit) {
  std::unique_lock lock(mutex_);
  const auto last = [&] {
    const auto told = told_.find({days, limit});
    return told == told_.end() ? Told() : told->second;
  };
  const auto is_known = [&] {
    const Told told = last();
    return told.lines != nullptr && told.revision == snapshots_.Current()->revision &&
           Clock::now() - told.at <= kFresh;
  };
  const bool was_told = last().lines != nullptr;
  if (was_told && (snapshots_.silent() || is_known())) return last().lines;
  if (!lines_turn_.Take(lock, Clock::now() + (was_told ? kPatience : kFirstPatience), is_known)) {
    if (const Told told = last(); told.lines != nullptr) return told.lines;
    throw Unavailable("what changed lately is being read");
  }
  const core::Pin revision = snapshots_.Current()->revision;
  const auto now = Clock::now();
  auto lines = lines_turn_.Outside(lock, [&] {
    return std::make_shared<const Lines>(
        RevisionStore(pool_).ListChanges(days, limit, kListedRuns));
  });
  if (told_.size() >= kMostTold) told_.clear();
  told_[{days, limit}] = {revision, now, lines};
  return lines;
}

}  // namespace tunehub::server
