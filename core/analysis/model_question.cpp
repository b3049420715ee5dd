#include "core/analysis/model_question.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::analysis {

core::Result<std::vector<core::ShapeDemand>> ShapesOfModel(ModelQuestion question,
                                                           const core::Targets& targets,
                                                           const core::Family& family,
                                                           std::string_view gfx) {
  question.options.fnuz = targets.IsFnuz(gfx);
  auto grid = core::GridOf(family, question.grid);
  if (!grid.ok()) return grid.error();
  if (question.grid == "gl0" || question.grid == "pow2") {
    std::erase_if(*grid, [&](std::int64_t m) { return m > question.max_m; });
  }
  if (grid->empty()) {
    return core::Error{"bad_grid", fmt::format("the grid '{}' has no point up to {}", question.grid,
                                               question.max_m)};
  }
  const auto rows = core::ModelShapes(question.model, question.tp, family, *grid, question.options);
  if (!rows.ok()) return rows.error();
  std::vector<core::ShapeDemand> shapes;
  shapes.reserve(rows->size());
  for (const core::Shape& row : *rows) {
    if (auto shape = core::ShapeOfUntuned(family, gfx, row)) shapes.push_back({*std::move(shape)});
  }
  return shapes;
}

PairNames LayerNames(const core::Model& model, std::int64_t tp, const core::Family& family) {
  PairNames names;
  const auto projections = core::Projections(model, tp);
  if (family.metric.formula != "gemm" || !projections.ok()) return names;
  for (const core::Projection& projection : *projections) {
    std::vector<std::string> pair;
    for (const std::string& column : family.heat_map.y) {
      if (family.Find(column) == family.metric.n) pair.push_back(std::to_string(projection.n));
      if (family.Find(column) == family.metric.k) pair.push_back(std::to_string(projection.k));
    }
    names.emplace(std::move(pair), projection.layer);
  }
  return names;
}

}  // namespace tunehub::analysis
