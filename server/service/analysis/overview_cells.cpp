#include "server/service/analysis/overview_cells.h"

#include <fmt/core.h>

#include <algorithm>

namespace tunehub::service {

OverviewCells::OverviewCells(OverviewTable& table) : table_(table) {
  for (std::size_t i = 0; i < table.targets.size(); ++i) {
    targets_[{table.targets[i].target.gfx, table.targets[i].target.cu_num}] = i;
  }
  for (std::size_t i = 0; i < table.models.size(); ++i) {
    models_[fmt::format("{} TP{}", table.models[i].name, table.tp)] = i;
  }
}

void OverviewCells::Each(std::string_view family, std::string_view gfx, int cu_num,
                         const std::vector<std::string>* models,
                         const std::function<void(OverviewCell&)>& use) {
  if (models == nullptr) return;
  for (const std::string& name : *models) {
    const auto model = models_.find(name);
    if (model == models_.end()) continue;
    std::vector<OverviewCell>& cells = table_.models[model->second].cells;
    // A row that names no CU count is of each target of its gfx, as /speedups has it.
    for (const auto& [target, place] : targets_) {
      const bool is_there = target.first == gfx && (cu_num == 0 || target.second == cu_num);
      OverviewCell& cell = cells[place];
      const auto reads = [&](const core::Family* it) { return it->name == family; };
      if (is_there && std::ranges::any_of(cell.tables, reads)) use(cell);
    }
  }
}

}  // namespace tunehub::service
