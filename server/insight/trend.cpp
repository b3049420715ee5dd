#include "server/insight/trend.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tunehub::server {
namespace {

PointModel Ended(const PointModel& was) {
  return {was.model, was.gfx, was.cu_num, was.tp};
}

PointFamily Ended(const PointFamily& was) {
  return {was.family, was.gfx, was.cu_num};
}

// All lists are sorted by place.
template <typename Row>
std::vector<Row> RowChanges(const std::vector<Row>& before, const std::vector<Row>& now) {
  std::vector<Row> ended, changes;
  std::ranges::set_difference(before, now, std::back_inserter(ended), {}, &Row::place, &Row::place);
  for (Row& it : ended) it = Ended(it);
  std::ranges::set_union(ended, now, std::back_inserter(changes), {}, &Row::place, &Row::place);
  std::erase_if(changes, [&](const Row& it) {
    const auto was = std::ranges::lower_bound(before, it.place(), {}, &Row::place);
    return was != before.end() && *was == it;
  });
  return changes;
}

template <typename Row>
std::vector<Row> AppliedRows(const std::vector<Row>& before, const std::vector<Row>& changes) {
  std::vector<Row> now;
  // If both lists have a row of one place, set_union keeps the row in `changes`.
  std::ranges::set_union(changes, before, std::back_inserter(now), {}, &Row::place, &Row::place);
  std::erase_if(now, [](const Row& it) { return !it.is_there(); });
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

// Returns the number of equal points at the beginning. (A restored database may have other points
// with the same ids.)
std::size_t SamePoints(const PointHistory& known, const std::vector<PointRecord>& listed) {
  const auto is_same = [](const HistoryPoint& a, const PointRecord& b) {
    return a.record.id == b.id && a.record.revision == b.revision;
  };
  const auto end = std::ranges::mismatch(known.points, listed, is_same).in1;
  return static_cast<std::size_t>(end - known.points.begin());
}

}  // namespace

PointRows PointHistory::State() const {
  PointRows state;
  for (const HistoryPoint& it : points) state = Applied(state, *it.changes);
  return state;
}

// Reads all records again, but only the rows of new points.
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

// The newest row of a model on a target, and the rows in force at each sample; null: none.
struct Course {
  const PointModel* now = nullptr;
  std::array<const PointModel*, kSamples> then = {};
};

CellTrend TrendOf(const Course& course) {
  CellTrend trend{course.now->tp};
  for (std::size_t i = 0; i < kSamples; ++i) {
    const PointModel* const then = course.then[i];
    if (then != nullptr && then->tp == trend.tp && then->buckets > 0)
      trend.shares[i] = then->covered / then->buckets;
  }
  return trend;
}

}  // namespace

CellTrends CellTrendsOf(const PointHistory& history, std::int64_t now) {
  std::map<CellTrends::key_type, Course> courses;
  std::size_t place = 0;
  const auto sample_until = [&](std::int64_t at) {
    for (; place < kSamples; ++place) {
      const auto days = kMonthDays - static_cast<std::int64_t>(place) * kSampleDays;
      if (at <= now - days * kDayMicroseconds) return;
      for (auto& [cell, it] : courses) it.then[place] = it.now;
    }
  };
  for (const HistoryPoint& it : history.points) {
    sample_until(it.record.at);
    for (const PointModel& row : it.changes->models)
      courses[{row.model, row.gfx, row.cu_num}].now = row.is_there() ? &row : nullptr;
  }
  sample_until(std::numeric_limits<std::int64_t>::max());
  CellTrends trends;
  for (const auto& [cell, it] : courses) {
    if (it.now != nullptr) trends[cell] = TrendOf(it);
  }
  return trends;
}

namespace {

// Returns the median of the families' medians, weighted by their keys.
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
           it.gfx == subject.target.gfx && (it.cu_num == 0 || it.cu_num == subject.target.cu_num);
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
