#include "core/analysis/key_place.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/row/cell.h"

namespace tunehub::analysis {
namespace {

using Axes = std::array<std::size_t, 3>;  // columns of M, N, K

Axes AxesOf(const core::Family& family) {
  const core::Metric& metric = family.metric;
  if (metric.formula == "gemm") return {metric.m, metric.n, metric.k};
  if (metric.formula == "fmoe") {
    return {family.Find("token"), family.Find("inter_dim"), family.Find("model_dim")};
  }
  return {core::kNoColumn, core::kNoColumn, core::kNoColumn};
}

double AxisSize(const core::Cells& cells, std::size_t column) {
  return static_cast<double>(core::ParseInt64(cells[column]).value_or(0));
}

}  // namespace

double KeyPlace::DistanceTo(const KeyPlace& other) const {
  double sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i)
    sum += (logs[i] - other.logs[i]) * (logs[i] - other.logs[i]);
  return sum;
}

bool KeyPlace::IsSame(const KeyPlace& other) const {
  return m == other.m && n == other.n && k == other.k && rest == other.rest;
}

std::string ShapeText(const core::Family& family, const core::Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!family.columns[i].is_shape()) continue;
    if (!text.empty()) text += ' ';
    text.append(family.columns[i].name).append("=").append(cells[i]);
  }
  return text;
}

std::optional<KeyPlace> PlaceOf(const core::Family& family, const core::Cells& cells) {
  const Axes axes = AxesOf(family);
  if (axes[0] == core::kNoColumn) return std::nullopt;
  KeyPlace place;
  place.m = AxisSize(cells, axes[0]);
  place.n = AxisSize(cells, axes[1]);
  place.k = AxisSize(cells, axes[2]);
  if (!(place.m > 0 && place.n > 0 && place.k > 0)) return std::nullopt;
  place.logs = {std::log2(place.m), std::log2(place.n), std::log2(place.k)};
  place.shape = ShapeText(family, cells);
  for (const std::size_t i : family.key_columns) {
    const core::Column& column = family.columns[i];
    const bool told = column.is_shape() || column.role == core::Role::kTag;
    if (!told || std::ranges::find(axes, i) != axes.end() ||
        std::ranges::find(family.lookup.ignored, i) != family.lookup.ignored.end()) {
      continue;
    }
    place.rest.append(cells[i]).append(" ");
  }
  return place;
}

}  // namespace tunehub::analysis
