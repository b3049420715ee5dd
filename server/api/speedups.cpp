// What tuning is worth.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/analysis/speedups_report.h"
#include "core/shapes/known_models.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

// Lines of format=csv; 15 MB at most.
constexpr std::int64_t kDefaultLines = 10'000, kMostLines = 100'000;

core::Result<service::SpeedupQuery> QueryOf(const Services& services,
                                            const http::Request& request) {
  service::SpeedupQuery query;
  const auto families = TimedFamilies(services, request);
  if (!families.ok()) return families.error();
  query.families = *families;
  const auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target.error();
  query.target = *target;
  const auto model = TextParameter(request, "model", kMaxNameBytes);
  if (!model.ok()) return model.error();
  query.model = model->value_or("");
  if (!query.model.empty()) {
    const auto known = core::FindModel(services.definitions.models, query.model);
    if (!known.ok()) return known.error();
    query.model = known->name;
  }
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return tp.error();
  query.tp = tp->value_or(0);
  if (query.tp != 0 && query.model.empty()) {
    return core::Error{"bad_parameter", "tp: means nothing without a model"};
  }
  const auto campaign = TextParameter(request, "campaign", kMaxNameBytes);
  if (!campaign.ok()) return campaign.error();
  query.campaign = campaign->value_or("");
  return query;
}

http::Response GetSpeedups(Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(
          request, {"family", "gfx", "cu_num", "model", "tp", "campaign", "format", "limit"});
      !known.ok())
    return ProblemFor(known.error());
  const auto query = QueryOf(services, request);
  if (!query.ok()) return ProblemFor(query.error());
  const auto format = ChoiceParameter(request, "format", {"json", "csv"});
  if (!format.ok()) return ProblemFor(format.error());
  const auto limit = NumberParameter(request, "limit", 1, kMostLines);
  if (!limit.ok()) return ProblemFor(limit.error());
  services.snapshots.WaitUpToDate();
  const core::Pin revision = services.snapshots.Current()->revision;
  const service::SpeedupAnswer answer = services.analyses.speedups.Get(*query);
  http::Response response;
  if (*format == "csv") {
    auto lines =
        analysis::ToCsv(answer.keys, static_cast<std::size_t>(limit->value_or(kDefaultLines)));
    response = http::TextResponse(200, "text/csv; charset=utf-8", std::move(lines.csv));
    response.headers.emplace_back("Tunehub-Left-Out", std::to_string(lines.left_out));
  } else {
    Json json = RevisionJson(revision);
    json["tuned_alone"] = answer.tuned_alone;
    json.update(analysis::ToJson(answer.keys));
    response = http::JsonResponse(200, json.dump());
  }
  AddRevision(response, revision);
  return response;
}

}  // namespace

std::vector<Endpoint> SpeedupRoutes(Services& services) {
  return {Heavy({"GET", "/speedups", With(services, GetSpeedups)})};
}

}  // namespace tunehub::api
