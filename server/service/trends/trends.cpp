#include "server/service/trends/trends.h"

#include <algorithm>
#include <set>

namespace tunehub::service {
namespace {

constexpr std::chrono::seconds kFresh{2};  // points and files of models come without a notice
// The members of a run that say a version.
constexpr const char* kToolchain[] = {"rocm",   "aiter",  "triton",  "pytorch",
                                      "engine", "driver", "compiler"};
constexpr std::int64_t kDayMicroseconds = std::int64_t{24} * 60 * 60 * 1'000'000;

std::int64_t NowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Trends::Trends(const Definitions& definitions, store::Store& store, const Snapshots& snapshots,
               FamilyVersions& versions, DispatchTables& tables)
    : definitions_(definitions),
      store_(store),
      snapshots_(snapshots),
      states_(definitions, store, versions, &tables),
      maker_(definitions, store),
      histories_(store),
      keeper_(definitions, store, snapshots, versions, tables, maker_, histories_) {}

std::shared_ptr<const store::PointRows> Trends::CountNow(const core::Pin& revision) {
  const std::lock_guard lock(now_mutex_);
  const auto at = std::chrono::steady_clock::now();
  const RegistryState state = states_.Now(revision);
  const auto is_same = [](const auto& known, const auto& table) { return known.lock() == table; };
  if (now_.rows != nullptr && at - now_.at < kFresh &&
      std::ranges::equal(now_.tables, state.tables, is_same)) {
    return now_.rows;
  }
  now_.rows = std::make_shared<const store::PointRows>(
      maker_.Make(ReadModelFiles(definitions_.models), state));
  now_.tables.assign(state.tables.begin(), state.tables.end());
  now_.at = at;
  return now_.rows;
}

Trend Trends::Get(const TrendSubject& subject, int days) {
  Trend trend;
  trend.revision = snapshots_.Current()->revision;
  trend.now = FiguresOf(subject, RowsAbout(subject, *CountNow(trend.revision)));
  trend.points = TrendOf(subject, *histories_.Get(), NowMicroseconds() - days * kDayMicroseconds);
  if (trend.points.size() > kMostTrendPoints) {
    trend.left_out = trend.points.size() - kMostTrendPoints;
    trend.points.erase(trend.points.begin(),
                       trend.points.begin() + static_cast<std::ptrdiff_t>(trend.left_out));
  }
  std::set<std::int64_t> since = {trend.now.since};
  for (const TrendPoint& it : trend.points) since.insert(it.figures.since);
  trend.times = store_.points().ReadTimes(since);
  trend.events.imports = store_.points().ListImports(days, kMostTrendEvents, subject.family);
  trend.events.toolchains = store_.points().ListToolchains(
      days, kMostTrendEvents, {std::begin(kToolchain), std::end(kToolchain)});
  std::erase_if(trend.events.toolchains,
                [&](const auto& it) { return it.gfx != subject.target.gfx; });
  return trend;
}

std::shared_ptr<const CellTrends> Trends::Cells() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (cells_ != nullptr && now - cells_at_ < kFresh) return cells_;
  try {
    cells_ = std::make_shared<const CellTrends>(CellTrendsOf(*histories_.Get(), NowMicroseconds()));
  } catch (const store::Unavailable&) {
    cells_ = std::make_shared<const CellTrends>();  // the overview does without
  }
  cells_at_ = now;
  return cells_;
}

}  // namespace tunehub::service
