#include "server/service/analysis/model_parts.h"

#include <algorithm>

#include "server/service/analysis/coverage.h"

namespace tunehub::service {
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

}  // namespace tunehub::service
