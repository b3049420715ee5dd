// How well the known models are served on each target.
#include "server/service/analysis/overview.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

Json OverviewCellJson(const service::OverviewCell& cell) {
  if (!cell.asks()) return nullptr;
  const auto of = [&](analysis::State state) {
    return cell.counts.of.at(static_cast<std::size_t>(state));
  };
  Json json = {{"covered", cell.share.share()},
               {"shapes", cell.counts.shapes()},
               {"found", cell.counts.covered()},
               {"baseline", of(analysis::State::kBaseline)},
               {"unmeasured", of(analysis::State::kUnmeasured)},
               {"missing", of(analysis::State::kMissing)},
               {"demand", cell.counts.demand},
               {"slower", cell.slower},
               {"measured", cell.measured}};
  if (cell.measured > 0) {
    json["speedup"] = std::exp(cell.log_speedups / static_cast<double>(cell.measured));
  }
  return json;
}

Json OverviewTargetJson(const service::OverviewTarget& it) {
  Json json = {{"gfx", it.target.gfx}, {"cu_num", it.target.cu_num}, {"products", Json::array()}};
  for (const core::Device* device : it.products) json["products"].push_back(device->product);
  return json;
}

Json OverviewModelJson(const service::OverviewModel& it) {
  Json json = {{"model", it.name}, {"title", it.title}, {"scheme", it.scheme}};
  if (!it.refused.empty()) json["refused"] = it.refused;
  json["cells"] = Json::array();
  for (const service::OverviewCell& cell : it.cells) {
    json["cells"].push_back(OverviewCellJson(cell));
  }
  return json;
}

http::Response GetOverview(Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"tp"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return ProblemFor(tp.error());
  services.snapshots.WaitUpToDate();
  const auto table = services.overview.Get(tp->value_or(1));
  Json json = RevisionJson(table->revision);
  json["tp"] = table->tp;
  json["grid"] = "gl0";
  json["max_m"] = analysis::kDefaultMaxM;
  json["days"] = service::kOverviewDays;
  json["targets"] = Json::array();
  json["models"] = Json::array();
  for (const auto& it : table->targets) json["targets"].push_back(OverviewTargetJson(it));
  for (const auto& it : table->models) json["models"].push_back(OverviewModelJson(it));
  http::Response response = http::JsonResponse(200, json.dump());
  AddRevision(response, table->revision);
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> OverviewRoutes(Services& services) {
  return {
      Heavy({"GET", "/overview",
             [&](const auto& request, const auto&, const auto&) {
               return GetOverview(services, request);
             }}),
  };
}

}  // namespace tunehub::api
