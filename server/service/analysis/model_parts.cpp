#include "server/service/analysis/model_parts.h"

#include <algorithm>

#include "core/analysis/model_question.h"

namespace tunehub::service {
namespace {

// Of families, targets and TP sizes: all that people look at, and a bound where somebody counts
// them through.
constexpr std::size_t kMostParts = 4096;

}  // namespace

std::optional<ModelPart> PartOf(const core::Model& model, std::size_t place, std::int64_t tp,
                                const DispatchTable& table, const core::Targets& targets,
                                const core::Target& target, const DemandCounts::Counts& demand) {
  const core::Family& family = table.table.family();
  analysis::ModelQuestion question{model, tp};
  question.options.schemes = core::SchemeChoice::kOwn;
  question.options.gfx = target.gfx;
  auto shapes = analysis::ShapesOfModel(question, targets, family, target.gfx);
  if (!shapes.ok() || shapes->empty()) return std::nullopt;
  if (!demand.empty()) {
    for (core::ShapeDemand& it : *shapes) {
      const auto count = demand.find(core::OrderKeyOf(family, it.shape, "", 0));
      if (count != demand.end()) it.count = count->second;
    }
  }
  const int cu_num = family.cu_num == core::kNoColumn ? 0 : target.cu_num;
  const auto coverage = analysis::Cover(table.table, target.gfx, cu_num, *shapes);
  const auto layers = analysis::LayersOf(question, family);
  return ModelPart{place, analysis::ShareByFlops(coverage, layers),
                   analysis::PlainShareByFlops(coverage, layers), coverage.totals};
}

ModelParts ModelPartTables::Make(const std::vector<core::Model>& models, const DispatchTable& table,
                                 const core::Target& target, std::int64_t tp,
                                 const DemandCounts::Counts& demand) const {
  ModelParts parts;
  for (std::size_t i = 0; i < models.size(); ++i) {
    auto part = PartOf(models[i], i, tp, table, definitions_.targets, target, demand);
    if (part) parts.push_back(*std::move(part));
  }
  return parts;
}

std::shared_ptr<const ModelParts> ModelPartTables::Of(const std::vector<core::Model>& models,
                                                      const core::Family& family,
                                                      const core::Target& target, std::int64_t tp) {
  const auto table = tables_.Current(family);
  Known now{table->rows.Of(target.gfx), demand_.Of(family, target), nullptr};
  const std::lock_guard lock(mutex_);
  if (known_.size() > kMostParts) known_.clear();
  Known& known = known_[{definitions_.Id(family), target.gfx, target.cu_num, tp}];
  const bool same = known.parts != nullptr && known.demand == now.demand && known.rows == now.rows;
  now.parts =
      same ? known.parts
           : std::make_shared<const ModelParts>(Make(models, *table, target, tp, *now.demand));
  known = std::move(now);
  return known.parts;
}

}  // namespace tunehub::service
