#include "server/service/trends/trend.h"

#include <algorithm>
#include <iterator>

#include "server/service/trends/point_delta.h"

namespace tunehub::service {
namespace {

bool IsOn(const core::Target& target, const std::string& gfx, int cu_num) {
  return gfx == target.gfx && (cu_num == 0 || cu_num == target.cu_num);
}

// The median of the families' medians, each as often as it has keys.
std::int64_t MedianOf(std::vector<store::PointFamily> families) {
  std::ranges::sort(families, {}, &store::PointFamily::since);
  std::int64_t keys = 0;
  for (const store::PointFamily& it : families) keys += it.tuned;
  std::int64_t seen = 0;
  for (const store::PointFamily& it : families) {
    seen += it.tuned;
    if (2 * seen >= keys) return it.since;
  }
  return 0;
}

}  // namespace

store::PointRows RowsAbout(const TrendSubject& subject, const store::PointRows& rows) {
  store::PointRows about;
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

TrendFigures FiguresOf(const TrendSubject& subject, const store::PointRows& about) {
  TrendFigures figures;
  for (const store::PointModel& it : about.models) {
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
  for (const store::PointFamily& it : about.families) {
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
  store::PointRows state;
  for (const HistoryPoint& it : history.points) {
    state = Applied(state, RowsAbout(subject, *it.changes));
    if (state.models.empty() && state.families.empty() && trend.empty()) continue;
    if (!trend.empty() && it.record.at < from) trend.clear();
    trend.push_back({it.record, FiguresOf(subject, state)});
  }
  return trend;
}

}  // namespace tunehub::service
