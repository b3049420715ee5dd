#include "server/service/trends/point_history.h"

#include "server/service/trends/point_delta.h"

namespace tunehub::service {
namespace {

// How many points of both lists are the same ones. A database that was restored has others under
// the same ids.
std::size_t SamePoints(const PointHistory& known, const std::vector<store::PointRecord>& listed) {
  std::size_t same = 0;
  while (same < known.points.size() && same < listed.size() &&
         known.points[same].record.id == listed[same].id &&
         known.points[same].record.revision == listed[same].revision) {
    ++same;
  }
  return same;
}

}  // namespace

store::PointRows PointHistory::State() const {
  store::PointRows state;
  for (const HistoryPoint& it : points) state = Applied(state, *it.changes);
  return state;
}

// Records are read again: when a revision was is its own to say.
std::shared_ptr<const PointHistory> PointHistories::Read(const PointHistory* known) {
  const auto listed = store_.points().List();
  const std::size_t same = known == nullptr ? 0 : SamePoints(*known, listed);
  std::map<std::int64_t, store::PointRows> rows;
  if (same < listed.size()) rows = store_.points().ReadRows(same == 0 ? 0 : listed[same - 1].id);
  auto history = std::make_shared<PointHistory>();
  for (std::size_t i = 0; i < listed.size(); ++i) {
    auto changes = i < same
                       ? known->points[i].changes
                       : std::make_shared<const store::PointRows>(std::move(rows[listed[i].id]));
    history->points.push_back({listed[i], std::move(changes)});
  }
  return history;
}

std::shared_ptr<const PointHistory> PointHistories::Get() {
  const std::lock_guard lock(mutex_);
  try {
    known_ = Read(known_.get());
  } catch (const store::Unavailable&) {
    if (known_ == nullptr) throw;
  }
  return known_;
}

}  // namespace tunehub::service
