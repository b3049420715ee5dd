#include "server/insight/coverage.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/analysis/model_question.h"
#include "core/shapes/known_models.h"

namespace tunehub::server {

void AddTargets(const FamilySnapshot& snapshot, TargetPlaces& targets) {
  for (const auto& row : snapshot.rows) {
    if (row->by_default()) targets.emplace(row->gfx, row->cu_num);
  }
}

// Not a family whose precision the arch is known to lack (fp4 on gfx942). Where AITER does not run,
// the rows say which families have kernels: those with a row of any such target.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target) {
  const core::Family& family = *snapshot.family;
  if (family.device != core::kNoColumn) return true;  // whoever has a name there
  const auto provider = DefaultProvider(target.gfx);
  const auto is_alike = [&](const auto& row) {
    return row->by_default() && row->provider == provider &&
           (provider != Provider::kAiter || row->gfx == target.gfx);
  };
  if (std::ranges::any_of(snapshot.rows, is_alike)) return true;
  if (provider != Provider::kAiter) return false;
  return analysis::HasPrecision(targets, family, target.gfx);
}

bool CoverageService::CanRun(const core::Family& family, const core::Target& target) {
  return server::CanRun(definitions_.targets, *tables_.Current(family)->snapshot, target);
}

namespace {

// The demand of a shape by what was counted: that of the shape that a lookup of it can use.
analysis::DemandOf DemandIn(const core::Family& family,
                            std::shared_ptr<const DemandCounts::Counts> counts) {
  if (counts->empty()) return {};
  return [&family, counts = std::move(counts)](const core::FamilyShape& shape) -> std::int64_t {
    const auto count = counts->find(core::OrderKeyOf(family, shape, "", 0));
    return count == counts->end() ? 0 : count->second;
  };
}

}  // namespace

core::Status CoverageService::AddTables(const analysis::ModelQuestion& question,
                                        const std::vector<const core::Family*>& asked, bool of_any,
                                        const core::Target& target, ModelAnswer& answer) {
  for (const core::Family* family : asked) {
    FamilyCoverage one;
    one.table = tables_.Current(*family);
    auto part = analysis::CoverTable(question, definitions_.targets, one.table->table, target,
                                     DemandIn(*family, demand_.Of(*family, target)));
    if (!part.ok() && of_any && analysis::IsNoPart(part.error())) continue;
    if (!part.ok()) return part.error();
    one.shapes = std::move(part->shapes);
    one.coverage = std::move(part->coverage);
    one.layers = analysis::LayersOf(question, *family);
    if (answer.share) answer.share->Add(one.coverage.share);
    answer.families.push_back(std::move(one));
  }
  return core::Ok();
}

core::Result<ModelAnswer> CoverageService::OfModel(const ModelRequest& request, std::int64_t max_m,
                                                   const core::Family* family,
                                                   const core::Target& target) {
  const auto model = ModelOf(definitions_, request);
  if (!model.ok()) return model.error();
  analysis::ModelQuestion question{*model, request.tp, request.grid, max_m, request.options};
  question.options.gfx = target.gfx;
  question.options.device = FileNameOf(definitions_, target, request.options.device);
  const auto is_of_use = [&](const core::Family& it) {
    return tables_.Reads(it) && CanRun(it, target);
  };
  const bool of_any = family == nullptr && request.engine == nullptr;
  ModelAnswer answer;
  std::vector<const core::Family*> asked;
  if (family != nullptr) {
    // One that somebody names, however the model is stored.
    question.options.schemes = core::SchemeChoice::kOwnOrAny;
    asked = {family};
  } else {
    question.options = core::ServedBy(std::move(question.options), request.engine, request.rocm);
  }
  if (of_any) {
    for (const auto& it : definitions_.families.all()) {
      if (is_of_use(*it)) asked.push_back(it.get());
    }
  } else if (family == nullptr) {
    auto reads = analysis::ReadsOf(question, definitions_.families, is_of_use);
    if (!reads.ok()) return reads.error();
    asked = std::move(reads->tables);
    answer.unread = std::move(reads->unread);
    // A number would be of layers that may be stored otherwise.
    if (question.model.doubts.empty()) answer.share.emplace();
  }
  if (core::Status added = AddTables(question, asked, of_any, target, answer); !added.ok())
    return added.error();
  return answer;
}

core::Result<FamilyCoverage> CoverageService::OfShapes(const core::Family& family,
                                                       const std::vector<core::UntunedRow>& rows,
                                                       const core::Target& target) {
  if (rows.empty()) return core::Error{"no_shapes", "there is no shape in the body"};
  FamilyCoverage out;
  out.table = tables_.Current(family);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Target& its = rows[i].target;
    const bool other = (!its.gfx.empty() && its.gfx != target.gfx) ||
                       (its.cu_num > 0 && target.cu_num > 0 && its.cu_num != target.cu_num);
    if (other) {
      return core::Error{"other_target",
                         fmt::format("row {} is of {}:{}, and the coverage of {}:{} was asked for",
                                     i + 1, its.gfx, its.cu_num, target.gfx, target.cu_num)};
    }
    out.shapes.push_back({rows[i].shape, rows[i].count});
  }
  out.coverage = analysis::Cover(out.table->table, target.gfx, CuNumIn(family, target), out.shapes);
  return out;
}

namespace {

// Of families, targets, engines and TP sizes: all that people look at, and a bound where somebody
// counts them through.
constexpr std::size_t kMostParts = 4096;

// The same of one family's targets and TP sizes.
constexpr std::size_t kMostKnown = 64;

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
  const analysis::DemandOf demand = DemandIn(family, now.demand);
  for (std::size_t i = 0; i < models.size(); ++i) {
    auto part = PartOf(models[i], i, split, *table, definitions_.targets, target, demand);
    if (part) parts.push_back(*std::move(part));
  }
  now.parts = std::make_shared<const ModelParts>(std::move(parts));
  known = std::move(now);
  return known.parts;
}

std::size_t TableCoverage::covered() const {
  return static_cast<std::size_t>(std::ranges::count_if(models, [](const auto& it) {
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
