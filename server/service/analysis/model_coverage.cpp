#include "server/service/analysis/model_coverage.h"

#include <algorithm>
#include <set>

#include "core/analysis/model_question.h"
#include "core/shapes/model.h"

namespace tunehub::service {
namespace {

// Of families and TP sizes: all that people look at, and a bound where somebody counts them
// through.
constexpr std::size_t kMostKnown = 256;

std::set<std::pair<std::string, int>> TargetsOf(const FamilySnapshot& snapshot) {
  std::set<std::pair<std::string, int>> targets;
  for (const auto& row : snapshot.rows) {
    if (row->by_default()) targets.emplace(row->gfx, row->cu_num);
  }
  return targets;
}

}  // namespace

std::size_t TableCoverage::covered() const {
  return static_cast<std::size_t>(std::count_if(models.begin(), models.end(), [](const auto& it) {
    return it.counts.covered() == it.counts.shapes();
  }));
}

ModelCoverage::Tables ModelCoverage::Make(const DispatchTable& table, std::int64_t tp) const {
  const core::Family& family = table.table.family();
  Tables tables;
  for (const auto& [gfx, cu_num] : TargetsOf(*table.snapshot)) {
    tables.push_back({&family, {gfx, cu_num}, table.snapshot->revision, {}});
  }
  for (const std::string& name : core::ModelNames(definitions_.models)) {
    const auto model = core::LoadModel(definitions_.models, name);
    if (!model.ok()) continue;  // whoever asks for it by name is told
    for (TableCoverage& it : tables) {
      analysis::ModelQuestion question{*model, tp};
      question.options.schemes = core::SchemeChoice::kOwn;
      const auto shapes =
          analysis::ShapesOfModel(question, definitions_.targets, family, it.target.gfx);
      if (!shapes.ok() || shapes->empty()) continue;
      const auto coverage = analysis::Cover(table.table, it.target.gfx, it.target.cu_num, *shapes);
      it.models.push_back({name, coverage.headline, coverage.totals});
    }
  }
  std::erase_if(tables, [](const TableCoverage& it) { return it.models.empty(); });
  return tables;
}

std::shared_ptr<const ModelCoverage::Tables> ModelCoverage::Find(const core::Family& family,
                                                                 std::int64_t tp) {
  const auto table = tables_.Current(family);
  const std::lock_guard lock(mutex_);
  if (known_.size() > kMostKnown) known_.clear();
  Known& known = known_[{definitions_.Id(family), tp}];
  if (known.table.lock() != table) {
    known.tables = std::make_shared<const Tables>(Make(*table, tp));
    known.table = table;
  }
  return known.tables;
}

std::vector<TableCoverage> ModelCoverage::All(std::int64_t tp) {
  std::vector<TableCoverage> all;
  for (const auto& family : definitions_.families.all()) {
    if (!tables_.Reads(*family)) continue;
    const auto tables = Find(*family, tp);
    all.insert(all.end(), tables->begin(), tables->end());
  }
  return all;
}

}  // namespace tunehub::service
