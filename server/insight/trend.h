// Computes trends: counts over time for a model on a target, for all models on a target, or for a
// family.
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

// Returns the changes from `before` to `now`. A removed entry has zero shapes or tuned keys.
PointRows ChangesOf(const PointRows& before, const PointRows& now);

// Returns the state after a point: `before` with the point's changes.
PointRows Applied(const PointRows& before, const PointRows& changes);

// The stored points in memory: a few hundred, each with its changes.
struct HistoryPoint {
  PointRecord record;
  std::shared_ptr<const PointRows> changes;
};

struct PointHistory {
  std::vector<HistoryPoint> points;  // by id

  std::int64_t newest() const { return points.empty() ? 0 : points.back().record.id; }
  // Returns the state after the last point.
  PointRows State() const;
};

class PointHistories {
 public:
  explicit PointHistories(ConnectionPool& pool) : pool_(pool) {}

  // Reads the stored points. If the database does not respond, returns the points of the last read.
  // Throws Unavailable if there was no read yet.
  std::shared_ptr<const PointHistory> Get();

 private:
  std::shared_ptr<const PointHistory> Read(const PointHistory* known);

  ConnectionPool& pool_;
  std::mutex mutex_;  // locked during a read: waiting threads need its points
  std::shared_ptr<const PointHistory> known_;
};

// The data of a sparkline: coverage of one model on one target over the last month.

inline constexpr std::int64_t kDayMicroseconds = std::int64_t{24} * 60 * 60 * 1'000'000;
inline constexpr int kMonthDays = 30;
inline constexpr int kSampleDays = 3;
inline constexpr std::size_t kSamples = kMonthDays / kSampleDays;

struct CellTrend {
  int tp = 1;  // TP of the newest point
  // The usual engine's coverage 30, 27, .. 3 days ago. Absent if there was no point yet, or if the
  // model had no shapes or another TP at that time.
  std::array<std::optional<double>, kSamples> shares = {};
};

using CellTrends =
    std::map<std::tuple<std::string, std::string, int>, CellTrend>;  // model, gfx, CUs

// `now`: in microseconds since 1970.
CellTrends CellTrendsOf(const PointHistory& history, std::int64_t now);

// The subject of a trend on a target: one model or one family. If neither is set, all models and
// families.
struct TrendSubject {
  std::string model;                   // "": none
  std::optional<std::int16_t> family;  // the family's number in the database
  core::Target target;
};

struct TrendFigures {
  // Figures of models. For several models: the mean of their shares, and the sums of their shapes.
  std::int64_t models = 0;
  int tp = 0;          // 0 unless the subject is one model
  double covered = 0;  // the usual engine's share, see analysis::BucketShare
  std::int64_t shapes = 0, found = 0, baseline = 0, unmeasured = 0, missing = 0;
  // Figures of families. For several families: the sums of their counts, and the median of their
  // medians, weighted by keys.
  std::int64_t tuned = 0, measured = 0;
  double log_speedups = 0;
  // the median of the revisions since which the rows are served; 0: nothing is tuned
  std::int64_t since = 0;

  bool operator==(const TrendFigures&) const = default;
};

struct TrendPoint {
  PointRecord record;
  TrendFigures figures;
};

// Returns the rows of the subject. A row without a CU count counts for each target of its gfx.
PointRows RowsAbout(const TrendSubject& subject, const PointRows& rows);
TrendFigures FiguresOf(const TrendSubject& subject, const PointRows& about);

// Returns the points since `from`, and the last point before `from`, each with full figures. Starts
// at the first point that contains the subject.
std::vector<TrendPoint> TrendOf(const TrendSubject& subject, const PointHistory& history,
                                std::int64_t from);

}  // namespace tunehub::server
