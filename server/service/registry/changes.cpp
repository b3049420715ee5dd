#include "server/service/registry/changes.h"

#include <spdlog/spdlog.h>

namespace tunehub::service {
namespace {

constexpr std::chrono::minutes kFresh{1};  // without a new revision, too, lines get too old
// Whoever asks chooses days and limit: when so many answers are kept, all are forgotten.
constexpr std::size_t kMostTold = 64;

}  // namespace

Changes::Heads Changes::HeadsOf(const FamilySnapshot& snapshot) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[snapshot.id];
  if (known.era != snapshot.era) {
    known = {};
    known.era = snapshot.era;
  }
  if (known.revision == snapshot.revision || snapshots_.MayLack()) return known.heads;
  try {
    // Within an era changes are never taken back: only those after the last known one are read.
    const bool engine_says = snapshot.family->engine != core::kNoColumn;
    for (store::TargetHead& head :
         store_.revisions().ReadTargetHeads(snapshot.id, known.change, engine_says)) {
      known.change = std::max(known.change, head.change);
      std::pair target(head.gfx, head.cu_num);
      known.heads[std::move(target)] = std::move(head);
    }
    known.revision = snapshot.revision;
  } catch (const store::Unavailable& error) {
    spdlog::debug("without the targets' revisions: {}", error.what());
  }
  return known.heads;
}

std::shared_ptr<const Changes::Lines> Changes::Lately(int days, std::size_t limit) {
  const core::Pin revision = snapshots_.Current()->revision;
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (told_.size() >= kMostTold) told_.clear();
  Told& told = told_[{days, limit}];
  if (told.lines == nullptr || told.revision != revision || now - told.at > kFresh) {
    told.lines =
        std::make_shared<const Lines>(store_.revisions().ListChanges(days, limit, kListedRuns));
    told.revision = revision;
    told.at = now;
  }
  return told.lines;
}

}  // namespace tunehub::service
