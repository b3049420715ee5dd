#include "server/insight/model_coverage.h"

#include <algorithm>

#include "core/shapes/known_models.h"
#include "server/insight/coverage.h"

namespace tunehub::server {
namespace {

// Of families, targets, engines and TP sizes: all that people look at, and a bound where somebody
// counts them through.
constexpr std::size_t kMostParts = 4096;

}  // namespace

std::optional<ModelPart> PartOf(const core::Model& model, std::size_t place,
                                const ServedSplit& split, const DispatchTable& table,
                                const core::Targets& targets, const core::Target& target,
                                const analysis::DemandOf& demand) {
  if (!model.doubts.empty()) return std::nullopt;  // how its layers are stored is not known
  analysis::ModelQuestion question{model, split.tp};
  question.options.gfx = target.gfx;
  question.options = core::ServedBy(std::move(question.options), split.engine, "");
  const auto part = analysis::CoverTable(question, targets, table.table, target, demand);
  if (!part.ok() || part->shapes.empty()) return std::nullopt;
  return ModelPart{
      place, part->coverage.share,
      analysis::UntunedOf(part->coverage, analysis::LayersOf(question, table.table.family()))};
}

std::shared_ptr<const ModelParts> ModelPartTables::Of(const std::vector<core::Model>& models,
                                                      const core::Family& family,
                                                      const core::Target& target,
                                                      const ServedSplit& split) {
  const auto table = tables_.Current(family);
  Known now{table->rows.Of(target.gfx), demand_.Of(family, target), nullptr};
  const std::lock_guard lock(mutex_);
  if (known_.size() > kMostParts) known_.clear();
  Known& known =
      known_[{definitions_.Id(family), target.gfx, target.cu_num, split.engine, split.tp}];
  const bool same = known.parts != nullptr && known.demand == now.demand && known.rows == now.rows;
  if (same) return known.parts;
  ModelParts parts;
  for (std::size_t i = 0; i < models.size(); ++i) {
    auto part = PartOf(models[i], i, split, *table, definitions_.targets, target,
                       DemandIn(family, now.demand));
    if (part) parts.push_back(*std::move(part));
  }
  now.parts = std::make_shared<const ModelParts>(std::move(parts));
  known = std::move(now);
  return known.parts;
}

namespace {

// Of a family's targets and TP sizes: all that people look at, and a bound where somebody counts
// them through.
constexpr std::size_t kMostKnown = 64;

}  // namespace

std::size_t TableCoverage::covered() const {
  return static_cast<std::size_t>(std::count_if(models.begin(), models.end(), [](const auto& it) {
    return it.share.totals().covered() == it.share.totals().shapes();
  }));
}

std::vector<TableCoverage> ModelCoverage::Make(const DispatchTable& table,
                                               const std::vector<core::Target>& targets,
                                               std::int64_t tp) const {
  const core::Family& family = table.table.family();
  std::vector<TableCoverage> made;
  for (const core::Target& it : targets)
    made.push_back({&family, it, table.snapshot->revision, {}});
  std::vector<const core::EngineReads*> engines;
  for (const core::EngineReads& it : definitions_.engine_reads) engines.push_back(&it);
  if (engines.empty()) engines.push_back(nullptr);
  const std::vector<core::Model> models = core::KnownModels(definitions_.models);
  for (std::size_t i = 0; i < models.size(); ++i) {
    for (TableCoverage& it : made) {
      for (const core::EngineReads* engine : engines) {
        auto part = PartOf(models[i], i, {engine, tp}, table, definitions_.targets, it.target, {});
        if (!part) continue;
        it.models.push_back(
            {models[i].name, engine == nullptr ? "" : engine->name, std::move(part->share)});
        break;
      }
    }
  }
  return made;
}

void ModelCoverage::AddTables(const core::Family& family, std::int64_t tp,
                              const core::Target& target, std::vector<TableCoverage>& to) {
  const auto table = tables_.Current(family);
  const std::lock_guard lock(mutex_);
  Known& known = known_[definitions_.Id(family)];
  if (known.table.lock() != table) {
    known = {table, {}, {}};
    AddTargets(*table->snapshot, known.targets);
  }
  if (known.covered.size() > kMostKnown) known.covered.clear();
  std::vector<core::Target> asked, missing;
  for (const auto& [gfx, cu_num] : known.targets) {
    if (!target.Includes(gfx, cu_num)) continue;
    asked.push_back({gfx, cu_num});
    if (!known.covered.contains({gfx, cu_num, tp})) missing.push_back({gfx, cu_num});
  }
  // In one go: it reads the file of every model.
  if (!missing.empty()) {
    for (TableCoverage& it : Make(*table, missing, tp))
      known.covered[{it.target.gfx, it.target.cu_num, tp}] = std::move(it);
    counted_ += missing.size();
  }
  for (const core::Target& it : asked) {
    const TableCoverage& covered = known.covered.at({it.gfx, it.cu_num, tp});
    if (!covered.models.empty()) to.push_back(covered);
  }
}

std::vector<TableCoverage> ModelCoverage::Of(std::int64_t tp, const core::Family* family,
                                             const core::Target& target) {
  std::vector<TableCoverage> found;
  for (const auto& it : definitions_.families.all()) {
    if ((family == nullptr || family == it.get()) && tables_.Reads(*it))
      AddTables(*it, tp, target, found);
  }
  return found;
}

}  // namespace tunehub::server
