#include "server/service/analysis/model_parts.h"

#include <algorithm>

#include "core/analysis/model_question.h"

namespace tunehub::service {
namespace {

// Of families, targets and TP sizes: all that people look at, and a bound where somebody counts
// them through.
constexpr std::size_t kMostParts = 4096;

// Rows that a lookup of the target may find: AITER ignores the CU count where a family says so.
bool SameRows(const DispatchTable& a, const DispatchTable& b, const std::string& gfx) {
  const auto next = [&](const auto& rows, std::size_t& at) -> const TunedRow* {
    while (at < rows.size() && rows[at]->gfx != gfx && !rows[at]->gfx.empty()) ++at;
    return at < rows.size() ? rows[at++].get() : nullptr;
  };
  const auto &left = a.snapshot->rows, &right = b.snapshot->rows;
  for (std::size_t i = 0, j = 0;;) {
    // A row that has not changed is the same object in the snapshot after it.
    const TunedRow *const one = next(left, i), *const other = next(right, j);
    if (one != other) return false;
    if (one == nullptr) return true;
  }
}

}  // namespace

ModelParts ModelPartTables::Make(const std::vector<core::Model>& models, const Known& of,
                                 const core::Target& target, std::int64_t tp) const {
  const core::Family& family = of.table->table.family();
  ModelParts parts;
  for (std::size_t i = 0; i < models.size(); ++i) {
    analysis::ModelQuestion question{models[i], tp};
    question.options.schemes = core::SchemeChoice::kOwn;
    question.options.gfx = target.gfx;
    auto shapes = analysis::ShapesOfModel(question, definitions_.targets, family, target.gfx);
    if (!shapes.ok() || shapes->empty()) continue;
    if (!of.demand->empty()) {
      for (core::ShapeDemand& it : *shapes) {
        const auto count = of.demand->find(core::OrderKeyOf(family, it.shape, "", 0));
        if (count != of.demand->end()) it.count = count->second;
      }
    }
    const int cu_num = family.cu_num == core::kNoColumn ? 0 : target.cu_num;
    const auto coverage = analysis::Cover(of.table->table, target.gfx, cu_num, *shapes);
    parts.push_back({i, analysis::ShareByFlops(coverage, analysis::LayersOf(question, family)),
                     coverage.totals});
  }
  return parts;
}

std::shared_ptr<const ModelParts> ModelPartTables::Of(const std::vector<core::Model>& models,
                                                      const core::Family& family,
                                                      const core::Target& target, std::int64_t tp) {
  Known now{tables_.Current(family), demand_.Of(family, target), nullptr};
  const std::lock_guard lock(mutex_);
  if (known_.size() > kMostParts) known_.clear();
  Known& known = known_[{definitions_.Id(family), target.gfx, target.cu_num, tp}];
  const bool same = known.parts != nullptr && known.demand == now.demand &&
                    (known.table == now.table || SameRows(*known.table, *now.table, target.gfx));
  now.parts =
      same ? known.parts : std::make_shared<const ModelParts>(Make(models, now, target, tp));
  known = std::move(now);
  return known.parts;
}

}  // namespace tunehub::service
