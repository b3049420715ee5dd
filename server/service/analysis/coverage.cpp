#include "server/service/analysis/coverage.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/analysis/model_question.h"

namespace tunehub::service {
namespace {

int CuNumIn(const core::Family& family, const core::Target& target) {
  return family.cu_num == core::kNoColumn ? 0 : target.cu_num;
}

}  // namespace

// Not a family whose precision the arch is known to lack (fp4 on gfx942). Where AITER does not run,
// the rows say which families have kernels: those with a row of any such target.
bool CanRun(const core::Targets& targets, const FamilySnapshot& snapshot,
            const core::Target& target) {
  const core::Family& family = *snapshot.family;
  if (family.device != core::kNoColumn) return true;  // whoever has a name there
  const auto provider = registry::DefaultProvider(target.gfx);
  const auto& rows = snapshot.rows;
  const auto is_alike = [&](const auto& row) {
    return row->by_default() && row->provider == provider &&
           (provider != registry::Provider::kAiter || row->gfx == target.gfx);
  };
  if (std::any_of(rows.begin(), rows.end(), is_alike)) return true;
  if (provider != registry::Provider::kAiter) return false;
  const core::GpuArch* const arch = targets.Find(target.gfx);
  return arch == nullptr || arch->flops_per_cu_clock.empty() || family.metric.precision.empty() ||
         arch->flops_per_cu_clock.contains(family.metric.precision);
}

bool CoverageService::CanRun(const core::Family& family, const core::Target& target) {
  return service::CanRun(definitions_.targets, *tables_.Current(family)->snapshot, target);
}

// What was missed counts for the shape that a lookup of it can use.
void CoverageService::AddDemand(const core::Family& family, const core::Target& target,
                                std::vector<core::ShapeDemand>& shapes) {
  const auto counts = demand_.Of(family, target);
  if (counts->empty()) return;
  for (core::ShapeDemand& it : shapes) {
    const auto count = counts->find(core::OrderKeyOf(family, it.shape, "", 0));
    if (count != counts->end()) it.count = count->second;
  }
}

core::Result<FamilyCoverage> CoverageService::OfModelIn(const core::Model& model,
                                                        const ModelRequest& request,
                                                        std::int64_t max_m,
                                                        const core::Family& family,
                                                        const core::Target& target) {
  analysis::ModelQuestion question{model, request.tp, request.grid, max_m, request.options};
  question.options.gfx = target.gfx;
  auto shapes = analysis::ShapesOfModel(question, definitions_.targets, family, target.gfx);
  if (!shapes.ok()) return shapes.error();
  AddDemand(family, target, *shapes);
  FamilyCoverage out;
  out.table = tables_.Current(family);
  out.shapes = *std::move(shapes);
  out.coverage = analysis::Cover(out.table->table, target.gfx, CuNumIn(family, target), out.shapes);
  out.layers = analysis::LayersOf(question, family);
  return out;
}

core::Result<std::vector<FamilyCoverage>> CoverageService::OfModel(const ModelRequest& request,
                                                                   std::int64_t max_m,
                                                                   const core::Family* family,
                                                                   const core::Target& target) {
  const auto model = ModelOf(definitions_, request);
  if (!model.ok()) return model.error();
  ModelRequest asked = request;
  // Of all families those that the model is stored for; one that somebody names, in any case.
  asked.options.schemes =
      family == nullptr ? core::SchemeChoice::kOwn : core::SchemeChoice::kOwnOrAny;
  asked.options.device = FileNameOf(definitions_, target, request.options.device);
  std::vector<FamilyCoverage> all;
  for (const auto& it : definitions_.families.all()) {
    const bool asked_for =
        family != nullptr ? it.get() == family : tables_.Reads(*it) && CanRun(*it, target);
    if (!asked_for) continue;
    auto one = OfModelIn(*model, asked, max_m, *it, target);
    if (one.ok()) {
      all.push_back(*std::move(one));
      continue;
    }
    // Of many families those that the model has no part for are left out.
    const std::string& code = one.error().code;
    const bool no_part = code == "unsupported_family" || code == "no_experts" ||
                         code == "no_products" || code == "no_device";
    if (family != nullptr || !no_part) return one.error();
  }
  return all;
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

}  // namespace tunehub::service
