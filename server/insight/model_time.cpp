#include "server/insight/model_time.h"

#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/rfc3339.h"
#include "server/insight/point_store.h"
#include "server/snapshots/revision_store.h"

namespace tunehub::server {
namespace {

constexpr int kMostWinners = 1'000;     // of one shape key
constexpr std::size_t kDateBytes = 10;  // of an RFC 3339 time
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The row that answers one lookup.
struct PhaseRow {
  double weight = 0;  // products in one forward pass / its tokens
  RevisionStore::KeyOfProvider key;
  double default_us = kNone;
  std::vector<WinnerTime> times = {};  // of the key's winners, the oldest first
};
using PhaseRows = std::vector<PhaseRow>;

// Adds the answering rows of a table's layers to their phases. Returns the number of layers.
std::size_t AddRows(const FamilyCoverage& table, const core::ProductPlan& plan,
                    const DefaultTimes& defaults, std::array<PhaseRows, kPhases.size()>& rows) {
  const RowsByLine by_line(table.table->snapshot->rows);
  const auto layers = MapLayersOf(table, plan);
  for (const MapLayer& layer : layers) {
    for (const std::size_t cell : layer.cells) {
      const analysis::AnsweredShape& it = table.coverage.shapes[cell];
      if (!it.answer.found()) continue;
      const TunedRow& row = by_line.Of(table.table->table.rows()[it.answer.row]);
      const auto measured = defaults.find(row.key);
      const std::int64_t m = table.shapes[it.index].m;
      const std::size_t phase = m == kPhases.front().m ? 0 : 1;
      const double weight = static_cast<double>(layer.count) / static_cast<double>(m);
      const double unmeasured = row.baseline ? row.us : kNone;
      rows.at(phase).push_back({weight,
                                {row.key, row.provider},
                                measured == defaults.end() ? unmeasured : measured->second});
    }
  }
  return layers.size();
}

// Reads the winners of each key. Drops rows without a time.
void ReadTimes(RevisionStore store, PhaseRows& rows) {
  std::vector<RevisionStore::KeyOfProvider> keys;
  for (const PhaseRow& it : rows) keys.push_back(it.key);
  for (const WinnerTime& it : store.ReadWinnerTimes(keys, kMostWinners))
    rows[it.place].times.push_back(it);
  std::erase_if(rows, [](const PhaseRow& row) {
    return std::ranges::all_of(row.times, [](const auto& it) { return std::isnan(it.us); });
  });
}

// Sums are NaN if a row has no time.
PhaseTime TimeAt(std::int64_t revision, const PhaseRows& rows) {
  if (rows.empty()) return {};
  PhaseTime sum{0, 0, 0};
  for (const PhaseRow& row : rows) {
    WinnerTime served{.us = kNone};
    for (const WinnerTime& it : row.times) {
      const bool is_served = it.revision <= revision && (it.until == 0 || it.until > revision);
      if (is_served) served = it;
    }
    sum.us += row.weight * served.us;
    const bool is_steady = std::isfinite(served.bounds.low);
    sum.low += row.weight * (is_steady ? served.bounds.low : kNone);
    sum.high += row.weight * (is_steady ? served.bounds.high : kNone);
  }
  if (std::isnan(sum.us)) return {};
  return sum;
}

ModelTimePoint PointAt(const RevisionTime& time,
                       const std::array<PhaseRows, kPhases.size()>& rows) {
  ModelTimePoint point{time.revision, time.created, {}};
  for (std::size_t i = 0; i < kPhases.size(); ++i)
    point.phases.at(i) = TimeAt(time.revision.number, rows.at(i));
  return point;
}

}  // namespace

core::Result<ModelTime> MakeModelTime(CoverageService& coverage, Speedups& speedups,
                                      ConnectionPool& pool, const Snapshots& snapshots,
                                      const MapQuestion& question, int days) {
  const core::Pin newest = snapshots.Current()->revision;
  ModelRequest request = question.model;
  request.grid = fmt::format("{},{}", kPhases[0].m, kPhases[1].m);
  const auto answer = coverage.OfModel(request, analysis::kDefaultMaxM, nullptr, question.target);
  if (!answer.ok()) return answer.error();
  ModelTime made;
  std::array<PhaseRows, kPhases.size()> rows;
  for (const FamilyCoverage& table : answer->families) {
    const auto defaults = DefaultTimesOf(speedups, table.family(), question.target);
    made.layers += AddRows(table, answer->plan, defaults, rows);
  }
  std::set<std::int64_t> changes;
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    ReadTimes(RevisionStore(pool), rows.at(i));
    made.timed.at(i) = rows.at(i).size();
    made.defaults.at(i) = rows.at(i).empty() ? kNone : 0;
    for (const PhaseRow& row : rows.at(i)) {
      made.defaults.at(i) += row.weight * row.default_us;
      for (const WinnerTime& it : row.times) changes.insert({it.revision, it.until});
    }
  }
  const auto now = std::chrono::system_clock::now();
  const std::string from = core::UtcText(now - std::chrono::days(days));
  for (const auto& [number, time] : PointStore(pool).ReadTimes(changes)) {
    // A later point of the same day replaces the point, and so does a later point before `from`.
    const bool replaces = !made.points.empty() &&
                          (time.created < from ||
                           made.points.back().at.starts_with(time.created.substr(0, kDateBytes)));
    if (replaces) made.points.pop_back();
    made.points.push_back(PointAt(time, rows));
  }
  made.points.push_back(PointAt({newest, core::UtcText(now)}, rows));
  return made;
}

}  // namespace tunehub::server
