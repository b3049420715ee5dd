// A course over time: what was counted of a model on a target, of all models there, or of a family.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/row/target.h"
#include "server/service/trends/point_history.h"

namespace tunehub::service {

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
  store::PointRecord record;
  TrendFigures figures;
};

// Of the rows of a state, or of its changes, those that the subject is about. A row that names no
// CU count is of each target of its gfx.
store::PointRows RowsAbout(const TrendSubject& subject, const store::PointRows& rows);
TrendFigures FiguresOf(const TrendSubject& subject, const store::PointRows& about);

// The points since `from`, and the last one before, each with its whole figures; points before the
// subject's first are left out.
std::vector<TrendPoint> TrendOf(const TrendSubject& subject, const PointHistory& history,
                                std::int64_t from);

}  // namespace tunehub::service
