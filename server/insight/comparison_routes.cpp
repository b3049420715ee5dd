// Routes of comparisons between runs or environments, and of speed-ups.
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/choice.h"
#include "core/analysis/compare.h"
#include "core/analysis/speedups.h"
#include "core/base/text.h"
#include "core/row/cell.h"
#include "core/shapes/known_models.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/insight/comparisons.h"
#include "server/insight/routes.h"
#include "server/insight/speedups.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// Limits a JSON answer to 200 KB. format=csv has all shape keys.
constexpr std::int64_t kListedKeys = 100, kMostListedKeys = 1'000;
constexpr std::int64_t kMostOffset = 10'000'000;  // more shape keys than any registry has
constexpr std::size_t kMostFactBytes = 2'048;     // of a header

SideQuery SideOf(RequestQuery& query, std::string_view name) {
  const auto text = query.Text(name, kMaxSideBytes);
  if (text) return query.Take(ParseSide(name, *text));
  query.Fail({"bad_parameter",
              fmt::format("{}: is missing; name a run or an environment (rocm:7.0.1)", name)});
  return {};
}

// Reads a limit of the comparison: a number of at least `least`.
void ReadLimit(RequestQuery& query, const char* name, double least, double& limit) {
  const auto text = query.Text(name);
  if (!text) return;
  const auto number = core::ParseNumber(*text);
  if (!number || !(*number >= least) || std::isinf(*number)) {
    query.Fail({"bad_parameter", fmt::format("{}: '{}': expected a number from {}", name, *text,
                                             nlohmann::json(least).dump())});
  } else {
    limit = *number;
  }
}

analysis::CompareLimits LimitsOf(RequestQuery& query) {
  analysis::CompareLimits limits;
  ReadLimit(query, "ratio", 1, limits.ratio);
  ReadLimit(query, "slack_us", 0, limits.slack_us);
  ReadLimit(query, "ignore_below_us", 0, limits.ignore_below_us);
  ReadLimit(query, "spread", 0, limits.spread);
  return limits;
}

analysis::KeyChoice ChoiceOf(RequestQuery& query) {
  analysis::KeyChoice choice;
  if (const auto change = query.Text("change"))
    choice.change =
        query.Take(analysis::KindOf<analysis::Change>("change", *change, analysis::kChangeNames));
  if (const auto sort = query.Text("sort")) query.Take(analysis::ParseOrder(*sort, choice));
  choice.offset = query.Size("after", 0, kMostOffset, 0);
  choice.most = query.Size("limit", 0, kMostListedKeys, kListedKeys);
  return choice;
}

http::Response GetCompare(const InsightServices& services, const http::Request& request) {
  RequestQuery query(
      request, {"base", "head", "family", "gfx", "cu_num", "ratio", "slack_us", "ignore_below_us",
                "spread", "change", "sort", "after", "limit", "format"});
  const CompareQuery asked = {.base = SideOf(query, "base"),
                              .head = SideOf(query, "head"),
                              .families = TimedFamilies(services, query),
                              .target = DemandTargetOf(services, query),
                              .limits = LimitsOf(query),
                              .among = services.snapshots.Timed()};
  const analysis::KeyChoice choice = ChoiceOf(query);
  const bool csv = query.Choice("format", {"json", "csv"}) == "csv";
  if (!query.ok()) return ProblemFor(query.error());
  const auto found = services.analyses.comparisons.Get(asked);
  if (!found.ok()) return ProblemFor(found.error());
  const analysis::Comparison& comparison = **found;
  if (csv) {
    http::Response response =
        http::TextResponse(200, "text/csv; charset=utf-8", analysis::ToCsv(comparison, choice));
    for (const auto& [name, value] : analysis::FactsOf(comparison))
      response.headers.emplace_back("Tunehub-Compared-" + name,
                                    core::Excerpt(value, kMostFactBytes));
    return response;
  }
  const Json json = analysis::ToJson(comparison, asked.limits, choice);
  http::Response response = http::JsonResponse(200, json.dump());
  const auto listed = json.at("listed").get<std::size_t>();
  if (listed > 0) AddNextPlace(response, request, choice.offset + listed, json.at("matching"));
  return response;
}

// Lines of format=csv: at most 15 MB.
constexpr std::int64_t kDefaultLines = 10'000, kMostLines = 100'000;

SpeedupQuery QueryOf(const InsightServices& services, RequestQuery& query) {
  SpeedupQuery asked;
  asked.families = TimedFamilies(services, query);
  asked.target = DemandTargetOf(services, query);
  if (const auto model = query.Text("model"))
    asked.model = query.Take(core::FindModel(services.definitions.models, *model)).name;
  asked.tp = query.Number("tp", 1, kMaxTp, 0);
  if (asked.tp != 0 && asked.model.empty()) query.Fail({"bad_parameter", "tp: pass a model, too"});
  asked.campaign = query.Text("campaign").value_or("");
  return asked;
}

http::Response GetSpeedups(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request,
                     {"family", "gfx", "cu_num", "model", "tp", "campaign", "format", "limit"});
  const SpeedupQuery asked = QueryOf(services, query);
  const bool csv = query.Choice("format", {"json", "csv"}) == "csv";
  const std::size_t limit = query.Size("limit", 1, kMostLines, kDefaultLines);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const core::Pin revision = services.snapshots.Current()->revision;
  const SpeedupAnswer answer = services.analyses.speedups.Get(asked);
  http::Response response;
  if (csv) {
    auto lines = analysis::ToCsv(answer.keys, limit);
    response = http::TextResponse(200, "text/csv; charset=utf-8", std::move(lines.csv));
    response.headers.emplace_back("Tunehub-Left-Out", std::to_string(lines.left_out));
  } else {
    Json json = RevisionJson(revision);
    json["tuned_alone"] = answer.tuned_alone;
    json.update(analysis::ToJson(answer.keys));
    response = http::JsonResponse(200, json.dump());
  }
  return OfRevision(revision, std::move(response));
}

}  // namespace

std::vector<Endpoint> ComparisonRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/compare", With(services, GetCompare)}),
      Heavy({"GET", "/speedups", With(services, GetSpeedups)},
            [services](const http::Request& request, const http::PathParameters&) {
              RequestQuery query(request);
              return services.analyses.speedups.Cost(TimedFamilies(services, query));
            }),
  };
}

}  // namespace tunehub::server
