// Routes of the overview and of trends.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/model_coverage.h"
#include "core/analysis/statistics.h"
#include "core/shapes/known_models.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/insight/overview.h"
#include "server/insight/routes.h"
#include "server/insight/trends.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// Adds the cell's coverage in the past and now, in whole percent.
void AddCourse(const OverviewCell& cell, const CellTrend& trend, Json& json) {
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
  if (trend.shares.front()) json["month"] = analysis::Rounded(*trend.shares.front());
}

Json OverviewCellJson(const OverviewCell& cell, const CellTrend* trend) {
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

Json OverviewTargetJson(const OverviewTarget& it) {
  Json json = {{"gfx", it.target.gfx}, {"cu_num", it.target.cu_num}, {"products", Json::array()}};
  for (const core::Device* device : it.products) json["products"].push_back(device->product);
  return json;
}

Json OverviewModelJson(const OverviewTable& table, const OverviewModel& it,
                       const CellTrends& trends, bool is_usual) {
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

http::Response GetOverview(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"tp", "engine"});
  const std::int64_t tp = query.Number("tp", 1, kMaxTp, 1);
  const EngineChoice choice = EngineOf(services, query);
  const core::EngineReads* const usual = services.definitions.UsualEngine();
  if (choice.engine == nullptr && usual != nullptr)
    query.Fail({"bad_parameter", "engine: any is not allowed here; name one engine"});
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto table = services.overview.Get(tp, choice.engine);
  Json json = RevisionJson(table->revision);
  json["tp"] = table->tp;
  json["engine"] = choice.name();
  json["grid"] = "gl0";
  json["max_m"] = analysis::kDefaultMaxM;
  json["days"] = kOverviewDays;
  json["month_days"] = kMonthDays;
  json["sample_days"] = kSampleDays;
  const auto trends = services.trends.Cells();
  json["targets"] = Json::array();
  json["models"] = Json::array();
  for (const auto& it : table->targets) json["targets"].push_back(OverviewTargetJson(it));
  for (const auto& it : table->models)
    json["models"].push_back(OverviewModelJson(*table, it, *trends, choice.engine == usual));
  return WarnedIfStale(services, OfRevision(table->revision, http::JsonResponse(200, json.dump())));
}

constexpr int kUsualTrendDays = 90, kMostTrendDays = 3'660;

TrendSubject ReadTrendSubject(const InsightServices& services, RequestQuery& query) {
  TrendSubject subject;
  const auto model = query.Text("model");
  const auto family = query.Text("family");
  if (model && family)
    query.Fail({"bad_parameter", "family: cannot be combined with a model; pass one of them"});
  if (model) subject.model = query.Take(core::FindModel(services.definitions.models, *model)).name;
  if (const core::Family* const known = query.Family(services))
    subject.family = services.definitions.Id(*known);
  subject.target = DemandTargetOf(services, query);
  if (subject.target.gfx.empty()) query.Fail({"bad_parameter", "gfx: is missing"});
  if (subject.target.cu_num == 0) query.Fail({"bad_parameter", "cu_num: is missing"});
  return subject;
}

void AddFigures(const TrendSubject& subject, const Trend& trend, const TrendFigures& of,
                Json& json) {
  if (!subject.family) {
    json["covered"] = of.models > 0 ? Json(of.covered) : Json();
    json["models"] = of.models;
    json["shapes"] = of.shapes;
    json["found"] = of.found;
    json["baseline"] = of.baseline;
    json["unmeasured"] = of.unmeasured;
    json["missing"] = of.missing;
    if (of.tp > 0) json["tp"] = of.tp;
  }
  if (subject.model.empty()) {
    json["tuned"] = of.tuned;
    json["measured"] = of.measured;
    json["speedup"] = of.measured > 0
                          ? Json(std::exp(of.log_speedups / static_cast<double>(of.measured)))
                          : Json();
    const auto since = trend.times.find(of.since);
    json["since"] = since != trend.times.end() ? Json(since->second.created) : Json();
  }
}

Json TrendPointJson(const TrendSubject& subject, const Trend& trend, const TrendPoint& point) {
  const auto& of = point.record;
  const bool is_event = of.kind == "import" || of.kind == "revert";
  Json json = RevisionJson(of.revision);
  json["at"] = of.created;
  json["kind"] = is_event ? of.kind : "day";
  json["filled_in"] = of.filled_in;
  json["models_version"] = of.models_version;
  AddFigures(subject, trend, point.figures, json);
  return json;
}

http::Response GetTrends(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"model", "family", "gfx", "cu_num", "days"});
  const TrendSubject subject = ReadTrendSubject(services, query);
  const auto days = static_cast<int>(query.Number("days", 1, kMostTrendDays, kUsualTrendDays));
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto trend = services.trends.Get(subject, days);
  Json json = RevisionJson(trend.revision);
  json["gfx"] = subject.target.gfx;
  json["cu_num"] = subject.target.cu_num;
  if (!subject.model.empty()) json["model"] = subject.model;
  if (subject.family) json["family"] = services.definitions.NameOf(*subject.family);
  json["days"] = days;
  json["grid"] = "gl0";
  json["max_m"] = analysis::kDefaultMaxM;
  json["left_out"] = trend.left_out;
  json["points"] = Json::array();
  for (const auto& it : trend.points) json["points"].push_back(TrendPointJson(subject, trend, it));
  json["now"] = Json::object();
  AddFigures(subject, trend, trend.now, json["now"]);
  json["most_events"] = kMostTrendEvents;
  json["events"] = EventsJson(trend.events);
  return WarnedIfStale(services, OfRevision(trend.revision, http::JsonResponse(200, json.dump())));
}

}  // namespace

Json EventsJson(const TrendEvents& events) {
  Json json = Json::array();
  for (const auto& it : events.imports) {
    Json event = {{"at", it.at}, {"kind", it.kind}, {"text", it.cause}};
    AddRevision(event, it.revision);
    event["run"] = it.run > 0 ? Json(it.run) : Json();
    json.push_back(std::move(event));
  }
  for (const auto& it : events.toolchains) {
    json.push_back({{"at", it.at},
                    {"kind", "toolchain"},
                    {"text", fmt::format("{}: {} {}", it.gfx, it.name, it.version)},
                    {"run", it.run}});
  }
  std::stable_sort(json.begin(), json.end(), [](const Json& a, const Json& b) {
    return a.at("at").get_ref<const std::string&>() < b.at("at").get_ref<const std::string&>();
  });
  return json;
}

std::vector<Endpoint> OverviewRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/overview", With(services, GetOverview)}),
      Heavy({"GET", "/trends", With(services, GetTrends)}),
  };
}

}  // namespace tunehub::server
