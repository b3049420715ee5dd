// How well the known models are served on each target.
#include "server/service/analysis/overview.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/model_coverage.h"
#include "server/api/engine_parameter.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

// Four digits: a few hundred cells are sent.
double Short(double share) {
  constexpr double kDigits = 1e4;
  return std::round(share * kDigits) / kDigits;
}

// The cell's coverage in the past and now, in whole percent.
void AddCourse(const service::OverviewCell& cell, const service::CellTrend& trend, Json& json) {
  constexpr double kPercent = 100;
  Json course = Json::array();
  bool is_known = false;
  for (const auto& share : trend.shares) {
    if (share) is_known = true;
    if (is_known) course.push_back(share ? Json(std::lround(*share * kPercent)) : Json());
  }
  if (!is_known) return;
  course.push_back(std::lround(cell.share.covered() * kPercent));
  json["trend"] = std::move(course);
  if (trend.shares.front()) json["month"] = Short(*trend.shares.front());
}

Json OverviewCellJson(const service::OverviewCell& cell, const service::CellTrend* trend) {
  if (!cell.asks()) return nullptr;
  Json json = analysis::ShareJson(cell.share);
  json["untuned_flops"] = cell.untuned.flops;
  json["untuned_flops_missed"] = cell.untuned.missed;
  json["slower"] = cell.slower;
  json["measured"] = cell.measured;
  if (cell.measured > 0) {
    json["speedup"] = std::exp(cell.log_speedups / static_cast<double>(cell.measured));
  }
  if (trend != nullptr) AddCourse(cell, *trend, json);
  return json;
}

Json OverviewTargetJson(const service::OverviewTarget& it) {
  Json json = {{"gfx", it.target.gfx}, {"cu_num", it.target.cu_num}, {"products", Json::array()}};
  for (const core::Device* device : it.products) json["products"].push_back(device->product);
  return json;
}

Json OverviewModelJson(const service::OverviewTable& table, const service::OverviewModel& it,
                       const service::CellTrends& trends, bool is_usual) {
  Json json = {{"model", it.name}, {"title", it.title}, {"scheme", it.scheme}};
  if (!it.refused.empty()) json["refused"] = it.refused;
  json["cells"] = Json::array();
  for (std::size_t i = 0; i < it.cells.size(); ++i) {
    const core::Target& target = table.targets[i].target;
    const auto trend = trends.find({it.name, target.gfx, target.cu_num});
    const bool is_alike = is_usual && trend != trends.end() && trend->second.tp == table.tp;
    json["cells"].push_back(OverviewCellJson(it.cells[i], is_alike ? &trend->second : nullptr));
  }
  return json;
}

http::Response GetOverview(Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"tp", "engine"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto tp = NumberParameter(request, "tp", 1, service::kMaxTp);
  if (!tp.ok()) return ProblemFor(tp.error());
  const auto choice = EngineOf(services, request);
  if (!choice.ok()) return ProblemFor(choice.error());
  const core::EngineReads* const usual = services.definitions.UsualEngine();
  if (choice->engine == nullptr && usual != nullptr) {
    return ProblemFor({"bad_parameter", "engine: the overview is of one engine, not of any"});
  }
  services.snapshots.WaitUpToDate();
  const auto table = services.overview.Get(tp->value_or(1), choice->engine);
  Json json = RevisionJson(table->revision);
  json["tp"] = table->tp;
  json["engine"] = choice->name();
  json["grid"] = "gl0";
  json["max_m"] = analysis::kDefaultMaxM;
  json["days"] = service::kOverviewDays;
  json["month_days"] = service::kMonthDays;
  json["sample_days"] = service::kSampleDays;
  const auto trends = services.trends.Cells();
  json["targets"] = Json::array();
  json["models"] = Json::array();
  for (const auto& it : table->targets) json["targets"].push_back(OverviewTargetJson(it));
  for (const auto& it : table->models)
    json["models"].push_back(OverviewModelJson(*table, it, *trends, choice->engine == usual));
  http::Response response = http::JsonResponse(200, json.dump());
  AddRevision(response, table->revision);
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> OverviewRoutes(Services& services) {
  return {
      Heavy({"GET", "/overview", With(services, GetOverview)}),
  };
}

}  // namespace tunehub::api
