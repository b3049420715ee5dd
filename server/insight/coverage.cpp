#include "server/insight/coverage.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/shapes/known_models.h"

namespace tunehub::server {

core::Result<core::Model> ModelOf(const Definitions& definitions, const ModelRequest& request) {
  if (request.config.empty()) return core::FindModel(definitions.models, request.model);
  return core::ParseModel(request.model, request.config);
}

std::string FileNameOf(const Definitions& definitions, const core::Target& target,
                       const std::string& asked) {
  const core::Devices& devices = definitions.targets.devices();
  const core::Device* device = nullptr;
  if (!asked.empty()) {
    if (!devices.IsProduct(asked)) return asked;
    device = devices.Find(asked);
  } else if (const auto all = devices.Of(target.gfx, target.cu_num); !all.empty()) {
    device = all.front();
  }
  return device == nullptr || device->aliases.empty() ? asked : device->aliases.front().name;
}

// An architecture may lack the family's precision (such as fp4 on gfx942). On targets without
// AITER, only families with a row of the target's provider have kernels.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target) {
  const core::Family& family = *snapshot.family;
  if (family.device != core::kNoColumn) return true;  // any device name may have rows
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

// Returns the demand of a shape. Precondition: the shape was mapped by LookupShape.
analysis::DemandOf DemandIn(const core::Family& family,
                            std::shared_ptr<const DemandCounts::Counts> counts) {
  if (counts == nullptr || counts->empty()) return {};
  return [&family, counts = std::move(counts)](const core::FamilyShape& shape) -> std::int64_t {
    const auto count = counts->find(core::OrderKeyOf(family, shape, "", 0));
    return count == counts->end() ? 0 : count->second;
  };
}

// `family`: the question is about this family, for any storage format of the model. Null: the
// question is about the families that the request's engine reads for the model.
analysis::ModelQuestion QuestionOf(const Definitions& definitions, const core::Model& model,
                                   const ModelRequest& request, std::int64_t max_m,
                                   const core::Family* family, const core::Target& target) {
  analysis::ModelQuestion question{model, request.tp, request.grid, max_m, request.options};
  question.options.gfx = target.gfx;
  question.options.device = FileNameOf(definitions, target, request.options.device);
  if (family != nullptr) {
    question.options.schemes = core::SchemeChoice::kOwnOrAny;
  } else {
    question.options = core::ServedBy(std::move(question.options), request.engine, request.rocm);
  }
  return question;
}

}  // namespace

namespace {

std::vector<core::SplitFinding> FindingsOf(const ModelAnswer& answer,
                                           const core::ShapeOptions& options) {
  auto all = core::NotesOf(answer.model);
  all.insert(all.end(), answer.plan.findings.begin(), answer.plan.findings.end());
  for (const FamilyCoverage& it : answer.families) {
    for (const core::ModelProduct& product : answer.plan.products) {
      core::SplitFinding note;
      core::EpTopks(it.family(), product, options, note);
      const auto known = std::ranges::find(all, note.detail, &core::SplitFinding::detail);
      if (!note.detail.empty() && known == all.end()) all.push_back(std::move(note));
    }
  }
  return all;
}

FamilyCoverage CoverageBy(std::shared_ptr<const DispatchTable> table,
                          std::vector<core::ShapeDemand> shapes, const core::Target& target) {
  FamilyCoverage out{std::move(table), std::move(shapes), {}, {}};
  const int cu_num = out.family().CuNumOf(target.cu_num);
  out.coverage = analysis::Cover(out.table->table, target.gfx, cu_num, out.shapes);
  return out;
}

}  // namespace

core::Result<std::vector<core::ShapeDemand>> CoverageService::Ask(
    const analysis::ModelQuestion& question, const core::Family& family,
    const core::Target& target) {
  auto shapes = analysis::ShapesOfModel(question, definitions_.targets, family, target.gfx);
  if (!shapes.ok()) return shapes.error();
  if (const auto demand = DemandIn(family, demand_.Of(family, target))) {
    for (core::ShapeDemand& it : *shapes) it.count = demand(it.shape);
  }
  return shapes;
}

core::Result<std::vector<core::ShapeDemand>> CoverageService::ShapesOf(const ModelRequest& request,
                                                                       std::int64_t max_m,
                                                                       const core::Family& family,
                                                                       const core::Target& target) {
  const auto model = ModelOf(definitions_, request);
  if (!model.ok()) return model.error();
  return Ask(QuestionOf(definitions_, *model, request, max_m, &family, target), family, target);
}

FamilyCoverage CoverageService::Cover(const core::Family& family,
                                      std::vector<core::ShapeDemand> shapes,
                                      const core::Target& target) {
  return CoverageBy(tables_.Current(family), std::move(shapes), target);
}

core::Status CoverageService::AddTables(const analysis::ModelQuestion& question,
                                        const std::vector<const core::Family*>& asked, bool of_any,
                                        const core::Target& target, const TableOf& rows,
                                        ModelAnswer& answer) {
  for (const core::Family* family : asked) {
    auto shapes = Ask(question, *family, target);
    if (!shapes.ok() && of_any && analysis::IsNoPart(shapes.error())) continue;
    if (!shapes.ok()) return shapes.error();
    FamilyCoverage one =
        CoverageBy(rows ? rows(*family) : tables_.Current(*family), *std::move(shapes), target);
    one.layers = analysis::LayersOf(question, *family);
    if (answer.share) answer.share->Add(one.coverage.share);
    answer.families.push_back(std::move(one));
  }
  return core::Ok();
}

core::Result<ModelAnswer> CoverageService::OfModel(const ModelRequest& request, std::int64_t max_m,
                                                   const core::Family* family,
                                                   const core::Target& target,
                                                   const TableOf& rows) {
  auto model = ModelOf(definitions_, request);
  if (!model.ok()) return model.error();
  ModelAnswer answer{*std::move(model), {}, {}, {}, {}, {}};
  const auto question = QuestionOf(definitions_, answer.model, request, max_m, family, target);
  const auto is_of_use = [&](const core::Family& it) {
    return tables_.Reads(it) && CanRun(it, target);
  };
  const bool of_any = family == nullptr && request.engine == nullptr;
  std::vector<const core::Family*> asked;
  if (family != nullptr) {
    asked = {family};
  } else if (of_any) {
    for (const auto& it : definitions_.families.all()) {
      if (is_of_use(*it)) asked.push_back(it.get());
    }
  } else {
    auto reads = analysis::ReadsOf(question, definitions_.families, is_of_use);
    if (!reads.ok()) return reads.error();
    asked = std::move(reads->tables);
    answer.unread = std::move(reads->unread);
    // A model with doubts gets no share, because its layers may be stored in another format.
    if (question.model.doubts.empty()) answer.share.emplace();
  }
  if (core::Status added = AddTables(question, asked, of_any, target, rows, answer); !added.ok())
    return added.error();
  const core::ShapeOptions& options = question.options;
  auto plan = core::ProductsOf(answer.model, {request.tp, options.ep, options.dp_attention,
                                              options.engine, options.dtype, false});
  if (!plan.ok()) return plan.error();
  answer.plan = *std::move(plan);
  answer.findings = FindingsOf(answer, options);
  return answer;
}

core::Result<FamilyCoverage> CoverageService::OfShapes(const core::Family& family,
                                                       const std::vector<core::UntunedRow>& rows,
                                                       const core::Target& target) {
  if (rows.empty()) return core::Error{"no_shapes", "the body has no shapes"};
  std::vector<core::ShapeDemand> shapes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const core::Target& its = rows[i].target;
    const bool other = (!its.gfx.empty() && its.gfx != target.gfx) ||
                       (its.cu_num > 0 && target.cu_num > 0 && its.cu_num != target.cu_num);
    if (other) {
      return core::Error{"other_target",
                         fmt::format("row {} is for {}:{}, but the request is for {}:{}", i + 1,
                                     its.gfx, its.cu_num, target.gfx, target.cu_num)};
    }
    shapes.push_back({rows[i].shape, rows[i].count});
  }
  return Cover(family, std::move(shapes), target);
}

namespace {

// Returns the model's part in the table on the target. Returns nothing if the model uses no shape
// of the table.
std::optional<ModelPart> PartOf(const SplitModel& split, const core::EngineReads* engine,
                                const DispatchTable& table, const core::Targets& targets,
                                const core::Target& target, const analysis::DemandOf& demand) {
  const core::Model& model = split.model;
  if (!model.doubts.empty()) return std::nullopt;  // the storage of some layers is unknown
  analysis::ModelQuestion question{model, split.tp};
  question.options.gfx = target.gfx;
  question.options = core::ServedBy(std::move(question.options), engine, "");
  const auto part = analysis::CoverTable(question, targets, table.table, target, demand);
  if (!part.ok() || part->shapes.empty()) return std::nullopt;
  return ModelPart{
      0, model.name, engine == nullptr ? "" : engine->name, part->coverage.share,
      analysis::UntunedOf(part->coverage, analysis::LayersOf(question, table.table.family()))};
}

}  // namespace

SplitModels KnownModelsAt(const Definitions& definitions, std::int64_t tp) {
  SplitModels models;
  for (core::Model& it : core::KnownModels(definitions.models))
    models.push_back({std::move(it), tp});
  return models;
}

std::shared_ptr<const ModelParts> ModelPartTables::Of(const DispatchTable& table,
                                                      const core::Target& target,
                                                      const ServedSplit& split,
                                                      const ReadModels& models,
                                                      const Demand& demand) {
  const core::Hash128 rows = table.rows.Of(target.gfx);
  const core::EngineReads* const first = split.engines.front();
  const std::lock_guard lock(mutex_);
  if (known_.size() > most_) known_.clear();
  Known& known = known_[{table.snapshot->id, target.gfx, target.cu_num,
                         first == nullptr ? "" : first->name, split.tp}];
  const bool same = known.parts != nullptr && known.demand == demand && known.rows == rows;
  if (same) return known.parts;
  ModelParts parts;
  const analysis::DemandOf missed = DemandIn(table.table.family(), demand);
  const SplitModels& all = models();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const core::EngineReads* engine : split.engines) {
      auto part = PartOf(all[i], engine, table, definitions_.targets, target, missed);
      if (!part) continue;
      part->place = i;
      parts.push_back(*std::move(part));
      break;
    }
  }
  known = {rows, demand, std::make_shared<const ModelParts>(std::move(parts))};
  ++counted_;
  return known.parts;
}

void ModelPartTables::Forget() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

std::size_t ModelPartTables::counted() const {
  const std::lock_guard lock(mutex_);
  return counted_;
}

std::size_t TableCoverage::covered() const {
  return static_cast<std::size_t>(std::ranges::count_if(*models, [](const auto& it) {
    return it.share.totals().covered() == it.share.totals().shapes();
  }));
}

std::vector<TableCoverage> CoverageService::OfKnown(std::int64_t tp, const core::Family* family,
                                                    const core::Target& target) {
  ServedSplit split{{}, tp};
  for (const core::EngineReads& it : definitions_.engine_reads) split.engines.push_back(&it);
  if (split.engines.empty()) split.engines.push_back(nullptr);
  SplitModels models;  // read only if a table must be counted, then once
  const auto read = [&]() -> const SplitModels& {
    if (models.empty()) models = KnownModelsAt(definitions_, tp);
    return models;
  };
  std::vector<TableCoverage> found;
  for (const auto& it : definitions_.families.all()) {
    if ((family != nullptr && family != it.get()) || !tables_.Reads(*it)) continue;
    const auto table = tables_.Current(*it);
    for (const auto& [gfx, cu_num] : table->targets) {
      if (!target.Includes(gfx, cu_num)) continue;
      auto parts = parts_.Of(*table, {gfx, cu_num}, split, read);
      if (!parts->empty())
        found.push_back({it.get(), {gfx, cu_num}, table->snapshot->revision, std::move(parts)});
    }
  }
  return found;
}

}  // namespace tunehub::server
