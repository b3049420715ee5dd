// How much of what the known models ask for is tuned, table by table.
#include "server/service/model_coverage.h"

#include <nlohmann/json.hpp>

#include "core/analysis/model_asked.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kUsualTp = 8;  // GPUs of one node

Json ModelJson(const service::CoveredModel& it) {
  return {{"model", it.model},
          {"covered", it.headline.covered_plain},
          {"exact", it.headline.exact},
          {"shapes", it.counts.shapes()},
          {"missing", it.counts.shapes() - it.counts.covered()}};
}

Json TableJson(const service::TableCoverage& it) {
  Json json = {{"family", it.family->name}, {"gfx", it.target.gfx},    {"cu_num", it.target.cu_num},
               {"revision", it.revision},   {"covered", it.covered()}, {"exact", it.exact()},
               {"models", Json::array()}};
  for (const service::CoveredModel& model : it.models) json["models"].push_back(ModelJson(model));
  return json;
}

http::Response GetModelCoverage(Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"tp"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return ProblemFor(tp.error());
  services.snapshots.WaitUpToDate();
  Json json = {{"tp", tp->value_or(kUsualTp)},
               {"grid", "gl0"},
               {"max_m", analysis::kDefaultMaxM},
               {"tables", Json::array()}};
  for (const auto& it : services.model_coverage.All(tp->value_or(kUsualTp))) {
    json["tables"].push_back(TableJson(it));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Route> ModelCoverageRoutes(Services& services) {
  return {
      {"GET", "/coverage/models",
       [&](const auto& request, const auto&, const auto&) {
         return GetModelCoverage(services, request);
       }},
  };
}

}  // namespace tunehub::api
