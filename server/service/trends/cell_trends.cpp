#include "server/service/trends/cell_trends.h"

namespace tunehub::service {
namespace {

constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60 * 1'000'000;  // microseconds

using Cells = std::map<std::tuple<std::string, std::string, int>, const store::PointModel*>;

void Sample(const Cells& cells, std::size_t place,
            std::map<Cells::key_type, std::map<std::size_t, const store::PointModel*>>& samples) {
  for (const auto& [cell, model] : cells) samples[cell][place] = model;
}

}  // namespace

CellTrends CellTrendsOf(const PointHistory& history, std::int64_t now) {
  Cells cells;
  std::map<Cells::key_type, std::map<std::size_t, const store::PointModel*>> samples;
  std::size_t place = 0;
  const auto when = [&](std::size_t i) {
    return now - (kMonthDays - static_cast<std::int64_t>(i) * kSampleDays) * kDay;
  };
  for (const HistoryPoint& it : history.points) {
    for (; place < kSamples && it.record.at > when(place); ++place) Sample(cells, place, samples);
    for (const store::PointModel& row : it.changes->models) {
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

}  // namespace tunehub::service
