#include "server/insight/trend.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tunehub::server {
namespace {

PointModel Ended(const PointModel& was) {
  PointModel ended;
  ended.model = was.model;
  ended.gfx = was.gfx;
  ended.cu_num = was.cu_num;
  ended.tp = was.tp;
  return ended;
}

PointFamily Ended(const PointFamily& was) {
  PointFamily ended;
  ended.family = was.family;
  ended.gfx = was.gfx;
  ended.cu_num = was.cu_num;
  return ended;
}

// Calls `use(left, right)` for each place of either list, null where it has none. Both are sorted.
template <typename Row, typename Use>
void EachPlace(const std::vector<Row>& left, const std::vector<Row>& right, Use use) {
  std::size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    const bool of_left =
        i < left.size() && (j == right.size() || left[i].place() <= right[j].place());
    const bool of_right =
        j < right.size() && (i == left.size() || right[j].place() <= left[i].place());
    use(of_left ? &left[i] : nullptr, of_right ? &right[j] : nullptr);
    i += of_left ? 1 : 0;
    j += of_right ? 1 : 0;
  }
}

template <typename Row>
std::vector<Row> RowChanges(const std::vector<Row>& before, const std::vector<Row>& now) {
  std::vector<Row> changes;
  EachPlace(before, now, [&](const Row* was, const Row* is) {
    if (is == nullptr)
      changes.push_back(Ended(*was));
    else if (was == nullptr || *was != *is)
      changes.push_back(*is);
  });
  return changes;
}

template <typename Row>
std::vector<Row> AppliedRows(const std::vector<Row>& before, const std::vector<Row>& changes) {
  std::vector<Row> now;
  EachPlace(before, changes, [&](const Row* was, const Row* change) {
    const Row& row = change != nullptr ? *change : *was;
    if (row.is_there()) now.push_back(row);
  });
  return now;
}

}  // namespace

PointRows ChangesOf(const PointRows& before, const PointRows& now) {
  return {RowChanges(before.models, now.models), RowChanges(before.families, now.families)};
}

PointRows Applied(const PointRows& before, const PointRows& changes) {
  return {AppliedRows(before.models, changes.models),
          AppliedRows(before.families, changes.families)};
}

namespace {

// How many points of both lists are the same ones. A database that was restored has others under
// the same ids.
std::size_t SamePoints(const PointHistory& known, const std::vector<PointRecord>& listed) {
  std::size_t same = 0;
  while (same < known.points.size() && same < listed.size() &&
         known.points[same].record.id == listed[same].id &&
         known.points[same].record.revision == listed[same].revision) {
    ++same;
  }
  return same;
}

}  // namespace

PointRows PointHistory::State() const {
  PointRows state;
  for (const HistoryPoint& it : points) state = Applied(state, *it.changes);
  return state;
}

// Records are read again: when a revision was is its own to say.
std::shared_ptr<const PointHistory> PointHistories::Read(const PointHistory* known) {
  const auto listed = PointStore(pool_).List();
  const std::size_t same = known == nullptr ? 0 : SamePoints(*known, listed);
  std::map<std::int64_t, PointRows> rows;
  if (same < listed.size()) rows = PointStore(pool_).ReadRows(same == 0 ? 0 : listed[same - 1].id);
  auto history = std::make_shared<PointHistory>();
  for (std::size_t i = 0; i < listed.size(); ++i) {
    auto changes = i < same ? known->points[i].changes
                            : std::make_shared<const PointRows>(std::move(rows[listed[i].id]));
    history->points.push_back({listed[i], std::move(changes)});
  }
  return history;
}

std::shared_ptr<const PointHistory> PointHistories::Get() {
  const std::lock_guard lock(mutex_);
  try {
    known_ = Read(known_.get());
  } catch (const Unavailable&) {
    if (known_ == nullptr) throw;
  }
  return known_;
}

namespace {

constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60 * 1'000'000;  // microseconds

using Cells = std::map<std::tuple<std::string, std::string, int>, const PointModel*>;

void Sample(const Cells& cells, std::size_t place,
            std::map<Cells::key_type, std::map<std::size_t, const PointModel*>>& samples) {
  for (const auto& [cell, model] : cells) samples[cell][place] = model;
}

}  // namespace

CellTrends CellTrendsOf(const PointHistory& history, std::int64_t now) {
  Cells cells;
  std::map<Cells::key_type, std::map<std::size_t, const PointModel*>> samples;
  std::size_t place = 0;
  const auto when = [&](std::size_t i) {
    return now - (kMonthDays - static_cast<std::int64_t>(i) * kSampleDays) * kDay;
  };
  for (const HistoryPoint& it : history.points) {
    for (; place < kSamples && it.record.at > when(place); ++place) Sample(cells, place, samples);
    for (const PointModel& row : it.changes->models) {
      const Cells::key_type cell(row.model, row.gfx, row.cu_num);
      if (row.is_there())
        cells[cell] = &row;
      else
        cells.erase(cell);
    }
  }
  for (; place < kSamples; ++place) Sample(cells, place, samples);
  CellTrends trends;
  for (const auto& [cell, model] : cells) {
    CellTrend& trend = trends[cell];
    trend.tp = model->tp;
    for (const auto& [i, then] : samples[cell]) {
      if (then->tp == model->tp && then->buckets > 0)
        trend.shares[i] = then->covered / then->buckets;
    }
  }
  return trends;
}

namespace {

bool IsOn(const core::Target& target, const std::string& gfx, int cu_num) {
  return gfx == target.gfx && (cu_num == 0 || cu_num == target.cu_num);
}

// The median of the families' medians, each as often as it has keys.
std::int64_t MedianOf(std::vector<PointFamily> families) {
  std::ranges::sort(families, {}, &PointFamily::since);
  std::int64_t keys = 0;
  for (const PointFamily& it : families) keys += it.tuned;
  std::int64_t seen = 0;
  for (const PointFamily& it : families) {
    seen += it.tuned;
    if (2 * seen >= keys) return it.since;
  }
  return 0;
}

}  // namespace

PointRows RowsAbout(const TrendSubject& subject, const PointRows& rows) {
  PointRows about;
  std::ranges::copy_if(rows.models, std::back_inserter(about.models), [&](const auto& it) {
    return !subject.family && (subject.model.empty() || it.model == subject.model) &&
           it.gfx == subject.target.gfx && it.cu_num == subject.target.cu_num;
  });
  std::ranges::copy_if(rows.families, std::back_inserter(about.families), [&](const auto& it) {
    return subject.model.empty() && (!subject.family || it.family == *subject.family) &&
           IsOn(subject.target, it.gfx, it.cu_num);
  });
  return about;
}

TrendFigures FiguresOf(const TrendSubject& subject, const PointRows& about) {
  TrendFigures figures;
  for (const PointModel& it : about.models) {
    ++figures.models;
    figures.covered += it.buckets > 0 ? it.covered / it.buckets : 0;
    figures.shapes += it.shapes;
    figures.found += it.found;
    figures.baseline += it.baseline;
    figures.unmeasured += it.unmeasured;
    figures.missing += it.missing;
  }
  if (figures.models > 0) figures.covered /= static_cast<double>(figures.models);
  if (!subject.model.empty() && figures.models > 0) figures.tp = about.models.front().tp;
  for (const PointFamily& it : about.families) {
    figures.tuned += it.tuned;
    figures.measured += it.measured;
    figures.log_speedups += it.log_speedups;
  }
  figures.since = MedianOf(about.families);
  return figures;
}

std::vector<TrendPoint> TrendOf(const TrendSubject& subject, const PointHistory& history,
                                std::int64_t from) {
  std::vector<TrendPoint> trend;
  PointRows state;
  for (const HistoryPoint& it : history.points) {
    state = Applied(state, RowsAbout(subject, *it.changes));
    if (state.models.empty() && state.families.empty() && trend.empty()) continue;
    if (!trend.empty() && it.record.at < from) trend.clear();
    trend.push_back({it.record, FiguresOf(subject, state)});
  }
  return trend;
}

}  // namespace tunehub::server
