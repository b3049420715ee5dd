#include "core/analysis/model_question.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::analysis {

core::Result<std::vector<core::ShapeDemand>> ShapesOfModel(ModelQuestion question,
                                                           const core::Targets& targets,
                                                           const core::Family& family,
                                                           std::string_view gfx) {
  question.options.fnuz = targets.IsFnuz(gfx);
  question.options.gfx = gfx;
  auto grid = core::GridOf(family, question.grid);
  if (!grid.ok()) return grid.error();
  if (question.grid == "gl0" || question.grid == "pow2") {
    std::erase_if(*grid, [&](std::int64_t m) { return m > question.max_m; });
  }
  if (grid->empty()) {
    return core::Error{"bad_grid", fmt::format("the grid '{}' has no point up to {}", question.grid,
                                               question.max_m)};
  }
  const auto rows =
      core::ShapesOfProducts(question.model, question.tp, family, *grid, question.options);
  if (!rows.ok()) return rows.error();
  std::vector<core::ShapeDemand> shapes;
  shapes.reserve(rows->shapes.size());
  for (const core::AskedShape& it : rows->shapes) {
    if (auto shape = core::ShapeOfUntuned(family, gfx, it.row)) {
      shapes.push_back({*std::move(shape), 0, it.m});
    }
  }
  return shapes;
}

bool IsNoPart(const core::Error& error) {
  return error.code == "unsupported_family" || error.code == "no_experts" ||
         error.code == "no_products" || error.code == "no_device";
}

PairLayers LayersOf(const ModelQuestion& question, const core::Family& family) {
  constexpr std::int64_t kOneM[] = {1};
  PairLayers layers;
  const auto asked =
      core::ShapesOfProducts(question.model, question.tp, family, kOneM, question.options);
  if (!asked.ok()) return layers;
  for (const core::AskedShape& it : asked->shapes) {
    const auto shape = core::ShapeOfUntuned(family, question.options.gfx, it.row);
    if (!shape) continue;
    std::vector<std::string> pair;
    for (const std::string& column : family.heat_map.y) {
      if (family.Find(column) != family.lookup.m) pair.push_back(shape->cells[family.Find(column)]);
    }
    PairLayer& layer = layers[std::move(pair)];
    if (layer.name.empty()) layer.name = asked->plan.products[it.product].layer;
    layer.flops += it.flops;
  }
  return layers;
}

}  // namespace tunehub::analysis
