// How much of what a model, or a list of shapes, asks for has a tuned row.
#include "server/service/analysis/coverage.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/shapes/ep_topk.h"
#include "server/api/coverage_query.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/api/tuned.h"
#include "server/service/queue/shapes_body.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

http::Response CsvOf(const service::FamilyCoverage& it, const CoverageForm& form) {
  return http::TextResponse(
      200, "text/csv; charset=utf-8",
      analysis::CoverageCsv(it.table->table, it.shapes, it.coverage, form.states));
}

// The part of an answer that GET and POST share.
Json FamiliesJson(const std::vector<service::FamilyCoverage>& all) {
  Json families = Json::array();
  for (const service::FamilyCoverage& it : all) {
    Json json = analysis::CoverageJson(it.family(), it.coverage, it.layers);
    AddRevision(json, it.table->snapshot->revision);
    families.push_back(std::move(json));
  }
  return families;
}

Json TargetJson(const core::Target& target) {
  return {{"gfx", target.gfx}, {"cu_num", target.cu_num > 0 ? Json(target.cu_num) : Json()}};
}

// What an engine would say of the split, and by which top-k its lookups in these tables go.
core::Result<Json> FindingsJson(const Services& services, const service::ModelRequest& request,
                                bool is_served,
                                const std::vector<service::FamilyCoverage>& families) {
  const auto model = service::ModelOf(services.definitions, request);
  if (!model.ok()) return model.error();
  const auto plan =
      core::ProductsOf(*model, {request.tp, request.options.ep, request.options.dp_attention,
                                request.options.engine, request.options.dtype, false});
  if (!plan.ok()) return plan.error();
  Json findings = Json::array();
  auto all = core::NotesOf(*model);
  all.insert(all.end(), plan->findings.begin(), plan->findings.end());
  const core::ShapeOptions options =
      is_served ? core::ServedBy(request.options, request.engine, request.rocm) : request.options;
  for (const service::FamilyCoverage& it : families) {
    for (const core::ModelProduct& product : plan->products) {
      core::SplitFinding note;
      core::EpTopks(it.family(), product, options, note);
      const auto known = std::ranges::find(all, note.detail, &core::SplitFinding::detail);
      if (!note.detail.empty() && known == all.end()) all.push_back(std::move(note));
    }
  }
  for (const core::SplitFinding& it : all) {
    findings.push_back({{"code", it.code}, {"detail", it.detail}, {"refused", it.refused}});
  }
  return findings;
}

http::Response AnswerOf(Services& services, const ModelQuery& query) {
  services.snapshots.WaitUpToDate();
  const auto all = services.coverage.OfModel(query.model, query.max_m, query.family, query.target);
  if (!all.ok()) return ProblemFor(all.error());
  http::Response response;
  if (query.form.csv) {
    response = CsvOf(all->families.front(), query.form);
  } else {
    Json json = TargetJson(query.target);
    json["model"] = query.model.model;
    json["tp"] = query.model.tp;
    json["grid"] = query.model.grid;
    json["max_m"] = query.max_m;
    json["ep"] = query.model.options.ep;
    json["dp_attention"] = query.model.options.dp_attention;
    json["device"] =
        service::FileNameOf(services.definitions, query.target, query.model.options.device);
    const bool is_served = query.family == nullptr && query.model.engine != nullptr;
    json["engine"] = is_served ? Json(query.model.engine->name) : Json();
    json["rocm"] = query.model.rocm.empty() ? Json() : Json(query.model.rocm);
    json["build"] = nullptr;  // any row counts: no build was asked what it can run
    json["coverage"] = all->share ? analysis::ShareJson(*all->share) : Json();
    json["unread"] = analysis::UnreadJson(all->unread);
    auto findings = FindingsJson(services, query.model, is_served, all->families);
    if (!findings.ok()) return ProblemFor(findings.error());
    json["findings"] = *std::move(findings);
    json["families"] = FamiliesJson(all->families);
    response = http::JsonResponse(200, json.dump());
  }
  WarnIfStale(services, response);
  return response;
}

http::Response GetCoverage(Services& services, const http::Request& request) {
  const auto query = ReadModelQuery(services, request);
  return query.ok() ? AnswerOf(services, *query) : ProblemFor(query.error());
}

// The same of a config.json in the body.
http::Response PostModelCoverage(Services& services, const http::Request& request) {
  auto body = DecodedBody(request, core::kMaxConfigBytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto query = ReadModelQuery(services, request, *std::move(body));
  return query.ok() ? AnswerOf(services, *query) : ProblemFor(query.error());
}

http::Response PostCoverage(Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"family", "gfx", "cu_num", "format", "state"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto name = TextParameter(request, "family", kMaxNameBytes);
  if (!name.ok()) return ProblemFor(name.error());
  if (!*name) return ProblemFor({"bad_parameter", "family: is missing"});
  const auto family = FindFamily(services, **name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto target = OneTarget(services, **family, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto form = CoverageFormOf(request);
  if (!form.ok()) return ProblemFor(form.error());
  const auto body_format = FormatOf(request);
  if (!body_format.ok()) return ProblemFor(body_format.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto table = service::ReadShapesBody(**family, *body, *body_format, *target);
  if (!table.ok()) return ProblemFor(table.error());
  if (!table->rejected.empty()) {
    return ProblemFor({"rejected_rows", fmt::format("{} rows are no shapes of {}",
                                                    table->rejected.size(), (*family)->name)},
                      table->rejected);
  }
  services.snapshots.WaitUpToDate();
  auto coverage = services.coverage.OfShapes(**family, table->rows, *target);
  if (!coverage.ok()) return ProblemFor(coverage.error());
  http::Response response;
  if (form->csv) {
    response = CsvOf(*coverage, *form);
  } else {
    Json json = TargetJson(*target);
    std::vector<service::FamilyCoverage> all;
    all.push_back(*std::move(coverage));
    json["families"] = FamiliesJson(all);
    response = http::JsonResponse(200, json.dump());
  }
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> CoverageRoutes(Services& services) {
  return {
      Heavy({"GET", "/coverage", With(services, GetCoverage)}),
      // Questions, although their bodies need POST.
      Heavy({"POST", "/coverage/config", With(services, PostModelCoverage), "", true}),
      Heavy({"POST", "/coverage", With(services, PostCoverage), "", true}),
  };
}

}  // namespace tunehub::api
