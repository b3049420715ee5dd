// Routes of a model on a target: its map, and its time over weeks.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/target_parameters.h"
#include "server/insight/model_time.h"
#include "server/insight/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUsualTimeDays = 180, kMostTimeDays = 3'660;

MapQuestion ReadMapQuestion(const InsightServices& services, RequestQuery& query) {
  MapQuestion question;
  const auto model = query.Text("model");
  if (!model) query.Fail({"bad_parameter", "model: is missing"});
  question.model.model = model.value_or("");
  question.model.tp = query.Number("tp", 1, kMaxTp, 1);
  question.model.options.dtype = query.Text("dtype").value_or("");
  EngineChoice choice = EngineOf(services, query);
  question.model.engine = choice.engine;
  question.model.rocm = std::move(choice.rocm);
  if (choice.engine != nullptr) question.model.options.engine = choice.engine->name;
  question.target = OneTarget(services, query);
  return question;
}

// Returns the product that the parameter names; null: none. Errors: bad_parameter, with the
// target's products.
const core::Device* ProductOf(const InsightServices& services, RequestQuery& query,
                              const char* parameter, const core::Target& target) {
  const auto name = query.Text(parameter);
  if (!name) return nullptr;
  const core::Devices& devices = services.definitions.targets.devices();
  const core::Device* const device = devices.Find(*name);
  if (core::Contains(devices.Of(target.gfx, target.cu_num), device)) return device;
  query.Fail({"bad_parameter",
              fmt::format("{}: '{}' is not a product of {}", parameter, core::Excerpt(*name),
                          devices.TargetName(target.gfx, target.cu_num))});
  return nullptr;
}

http::Response GetMap(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request,
                     {"cu_num", "dtype", "engine", "gfx", "model", "own", "product", "rocm", "tp"});
  MapQuestion question = ReadMapQuestion(services, query);
  question.product = ProductOf(services, query, "product", question.target);
  question.own = ProductOf(services, query, "own", question.target);
  // Some engines' files are for one product.
  if (question.product != nullptr) question.model.options.device = question.product->product;
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto map = services.maps.Get(question);
  if (!map.ok()) return ProblemFor(map.error());
  return WarnedIfStale(services,
                       OfRevision((*map)->revision, http::JsonResponse(200, (*map)->json)));
}

Json PhaseJson(const PhaseTime& time) {
  if (std::isnan(time.us)) return nullptr;
  return {{"us", time.us}, {"low", NumberOrNull(time.low)}, {"high", NumberOrNull(time.high)}};
}

Json TimePointJson(const ModelTimePoint& point) {
  Json json = RevisionJson(point.revision);
  json["at"] = point.at;
  for (std::size_t i = 0; i < kPhases.size(); ++i)
    json[kPhases.at(i).name] = PhaseJson(point.phases.at(i));
  return json;
}

http::Response GetModelTime(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"cu_num", "days", "dtype", "engine", "gfx", "model", "rocm", "tp"});
  const MapQuestion question = ReadMapQuestion(services, query);
  const auto days = static_cast<int>(query.Number("days", 1, kMostTimeDays, kUsualTimeDays));
  // Without an engine, several tables would count for one layer.
  if (question.model.engine == nullptr)
    query.Fail({"bad_parameter", "engine: any is not allowed here; name one engine"});
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto made = MakeModelTime(services.coverage, services.analyses.speedups, services.pool,
                                  services.snapshots, question, days);
  if (!made.ok()) return ProblemFor(made.error());
  const core::Pin& revision = made->points.back().revision;
  Json json = RevisionJson(revision);
  json["model"] = question.model.model;
  json["tp"] = question.model.tp;
  json["engine"] = question.model.engine->name;
  json["gfx"] = question.target.gfx;
  json["cu_num"] = question.target.cu_num;
  json["days"] = days;
  json["layers"] = made->layers;
  json["timed"] = std::ranges::min(made->timed);
  for (std::size_t i = 0; i < kPhases.size(); ++i) {
    const char* const phase = kPhases.at(i).name;
    json["m"][phase] = kPhases.at(i).m;
    json["timed_in"][phase] = made->timed.at(i);
    json["default"][phase] = NumberOrNull(made->defaults.at(i));
  }
  json["points"] = core::Mapped(made->points, TimePointJson);
  json["events"] = EventsJson(services.trends.EventsOf(question.target.gfx, days, {}));
  return WarnedIfStale(services, OfRevision(revision, http::JsonResponse(200, json.dump())));
}

}  // namespace

std::vector<Endpoint> ModelRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/map", With(services, GetMap)}),
      Heavy({"GET", "/model-time", With(services, GetModelTime)}),
  };
}

}  // namespace tunehub::server
