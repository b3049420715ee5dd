// A course over time: what was counted of a model on a target, of all models there, or of a family.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/row/target.h"
#include "server/db/connection_pool.h"
#include "server/insight/point_store.h"

namespace tunehub::server {

// What of `now` differs from `before`. What is no more there is in it with nothing: no shapes, no
// tuned keys.
PointRows ChangesOf(const PointRows& before, const PointRows& now);

// `before` with the changes of the point after it: that point's whole state.
PointRows Applied(const PointRows& before, const PointRows& changes);

// The stored points in memory: there are a few hundred, and each has what differs from the one
// before.
struct HistoryPoint {
  PointRecord record;
  std::shared_ptr<const PointRows> changes;
};

struct PointHistory {
  std::vector<HistoryPoint> points;  // in their order

  std::int64_t newest() const { return points.empty() ? 0 : points.back().record.id; }
  // The whole state after all of them.
  PointRows State() const;
};

class PointHistories {
 public:
  explicit PointHistories(ConnectionPool& pool) : pool_(pool) {}

  // With the points that there are now. While the database is gone, those that were read last.
  // Throws Unavailable where none were.
  std::shared_ptr<const PointHistory> Get();

 private:
  std::shared_ptr<const PointHistory> Read(const PointHistory* known);

  ConnectionPool& pool_;
  std::mutex mutex_;  // also while they are read: who waits would read the same
  std::shared_ptr<const PointHistory> known_;
};

// Where each cell of the overview was in the last month: what a sparkline is drawn of.

inline constexpr std::int64_t kDayMicroseconds = std::int64_t{24} * 60 * 60 * 1'000'000;
inline constexpr int kMonthDays = 30;
inline constexpr int kSampleDays = 3;
inline constexpr std::size_t kSamples = kMonthDays / kSampleDays;

struct CellTrend {
  int tp = 1;  // of the newest point
  // The coverage by the usual engine 30, 27, .. 3 days ago; nothing: it asked nothing
  // then, was split otherwise, or there is no point so old.
  std::array<std::optional<double>, kSamples> shares = {};
};

using CellTrends =
    std::map<std::tuple<std::string, std::string, int>, CellTrend>;  // model, gfx, CUs

// `now`: in microseconds since 1970.
CellTrends CellTrendsOf(const PointHistory& history, std::int64_t now);

// A model on the target; a family on it; neither: all models and families of it.
struct TrendSubject {
  std::string model;                   // "": none
  std::optional<std::int16_t> family;  // its id
  core::Target target;
};

struct TrendFigures {
  // Of models: of several, the mean of their shares and the sums of their shapes.
  std::int64_t models = 0;
  int tp = 0;          // of one model
  double covered = 0;  // as analysis::BucketShare has it, of the usual engine
  std::int64_t shapes = 0, found = 0, baseline = 0, unmeasured = 0, missing = 0;
  // Of families: of several, the sums, and the median of their medians, weighted by their keys.
  std::int64_t tuned = 0, measured = 0;
  double log_speedups = 0;
  std::int64_t since = 0;  // the revision at which they came into force; 0: nothing is tuned

  bool operator==(const TrendFigures&) const = default;
};

struct TrendPoint {
  PointRecord record;
  TrendFigures figures;
};

// Of the rows of a state, or of its changes, those that the subject is about. A row that names no
// CU count is of each target of its gfx.
PointRows RowsAbout(const TrendSubject& subject, const PointRows& rows);
TrendFigures FiguresOf(const TrendSubject& subject, const PointRows& about);

// The points since `from`, and the last one before, each with its whole figures; points before the
// subject's first are left out.
std::vector<TrendPoint> TrendOf(const TrendSubject& subject, const PointHistory& history,
                                std::int64_t from);

}  // namespace tunehub::server
