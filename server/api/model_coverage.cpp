// How much of what the known models ask for is tuned, table by table.
#include "server/service/analysis/model_coverage.h"

#include <nlohmann/json.hpp>

#include "core/analysis/model_question.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

Json ModelJson(const service::CoveredModel& it) {
  const analysis::Counts& counts = it.share.totals();
  return {{"model", it.model},
          {"engine", it.engine},
          {"covered", it.share.covered()},
          {"exact", it.share.exact()},
          {"shapes", counts.shapes()},
          {"missing", counts.shapes() - counts.covered()}};
}

Json TableJson(const service::TableCoverage& it) {
  Json json = {{"family", it.family->name}, {"gfx", it.target.gfx}, {"cu_num", it.target.cu_num}};
  AddRevision(json, it.revision);
  json["covered"] = it.covered();
  json["models"] = Json::array();
  for (const service::CoveredModel& model : it.models) json["models"].push_back(ModelJson(model));
  return json;
}

http::Response GetModelCoverage(Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"tp", "family", "gfx", "cu_num"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto family = TextParameter(request, "family", kMaxNameBytes);
  if (!family.ok()) return ProblemFor(family.error());
  const core::Family* only = nullptr;
  if (*family) {
    const auto found = FindFamily(services, **family);
    if (!found.ok()) return ProblemFor(found.error());
    only = *found;
  }
  const auto target = DemandTargetOf(services, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return ProblemFor(tp.error());
  services.snapshots.WaitUpToDate();
  Json json = {{"tp", tp->value_or(1)},
               {"grid", "gl0"},
               {"max_m", analysis::kDefaultMaxM},
               {"tables", Json::array()}};
  for (const auto& it : services.model_coverage.Of(tp->value_or(1), only, *target))
    json["tables"].push_back(TableJson(it));
  http::Response response = http::JsonResponse(200, json.dump());
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> ModelCoverageRoutes(Services& services) {
  return {
      Heavy({"GET", "/coverage/models", With(services, GetModelCoverage)}),
  };
}

}  // namespace tunehub::api
