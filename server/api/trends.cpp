// How well a model, a product or a family was served over time.
#include "server/service/trends/trends.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/model_question.h"
#include "core/shapes/known_models.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kUsualTrendDays = 90, kMostTrendDays = 3'660;

struct TrendQuestion {
  service::TrendSubject subject;
  std::string family;
  int days = kUsualTrendDays;
};

core::Status ReadSubject(const Services& services, const http::Request& request,
                         TrendQuestion& question) {
  const auto model = TextParameter(request, "model", kMaxNameBytes);
  if (!model.ok()) return model.error();
  const auto family = TextParameter(request, "family", kMaxNameBytes);
  if (!family.ok()) return family.error();
  if (*model && *family)
    return core::Error{"bad_parameter", "family: goes without a model; a course is of either"};
  if (*model) {
    const auto known = core::FindModel(services.definitions.models, **model);
    if (!known.ok()) return known.error();
    question.subject.model = known->name;
  }
  if (*family) {
    const auto known = FindFamily(services, **family);
    if (!known.ok()) return known.error();
    question.family = (*known)->name;
    question.subject.family = services.definitions.Id(**known);
  }
  auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target.error();
  if (target->gfx.empty()) return core::Error{"bad_parameter", "gfx: is missing"};
  if (target->cu_num == 0) return core::Error{"bad_parameter", "cu_num: is missing"};
  question.subject.target = *std::move(target);
  return core::Ok();
}

core::Result<TrendQuestion> ReadTrendQuestion(const Services& services,
                                              const http::Request& request) {
  const auto known = CheckParameters(request, {"model", "family", "gfx", "cu_num", "days"});
  if (!known.ok()) return known.error();
  TrendQuestion question;
  if (auto read = ReadSubject(services, request, question); !read.ok()) return read.error();
  const auto days = NumberParameter(request, "days", 1, kMostTrendDays);
  if (!days.ok()) return days.error();
  question.days = static_cast<int>(days->value_or(kUsualTrendDays));
  return question;
}

void AddFigures(const service::TrendSubject& subject, const service::Trend& trend,
                const service::TrendFigures& of, Json& json) {
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
    json["since"] = since != trend.times.end() ? Json(since->second) : Json();
  }
}

Json TrendPointJson(const service::TrendSubject& subject, const service::Trend& trend,
                    const service::TrendPoint& point) {
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

Json EventsJson(const service::TrendEvents& events) {
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

http::Response GetTrends(Services& services, const http::Request& request) {
  const auto asked = ReadTrendQuestion(services, request);
  if (!asked.ok()) return ProblemFor(asked.error());
  services.snapshots.WaitUpToDate();
  const service::TrendSubject& subject = asked->subject;
  const auto trend = services.trends.Get(subject, asked->days);
  Json json = RevisionJson(trend.revision);
  json["gfx"] = subject.target.gfx;
  json["cu_num"] = subject.target.cu_num;
  if (!subject.model.empty()) json["model"] = subject.model;
  if (subject.family) json["family"] = asked->family;
  json["days"] = asked->days;
  json["grid"] = "gl0";
  json["max_m"] = analysis::kDefaultMaxM;
  json["left_out"] = trend.left_out;
  json["points"] = Json::array();
  for (const auto& it : trend.points) json["points"].push_back(TrendPointJson(subject, trend, it));
  json["now"] = Json::object();
  AddFigures(subject, trend, trend.now, json["now"]);
  json["most_events"] = service::kMostTrendEvents;
  json["events"] = EventsJson(trend.events);
  http::Response response = http::JsonResponse(200, json.dump());
  AddRevision(response, trend.revision);
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> TrendRoutes(Services& services) {
  return {
      Heavy({"GET", "/trends", With(services, GetTrends)}),
  };
}

}  // namespace tunehub::api
