// What became slower between two runs or two environments.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/choice.h"
#include "core/analysis/compare_report.h"
#include "core/row/cell.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/target_parameters.h"
#include "server/db/failures.h"
#include "server/ingest/routes.h"
#include "server/insight/comparisons.h"
#include "server/insight/routes.h"
#include "server/insight/search.h"

namespace tunehub::server {
namespace {

// An answer for people to look at, 200 KB at most; format=csv has all keys.
constexpr std::int64_t kListedKeys = 100, kMostListedKeys = 1'000;
constexpr std::int64_t kMostOffset = 10'000'000;  // more keys than any registry holds

SideQuery SideOf(RequestQuery& query, std::string_view name) {
  const auto text = query.Text(name, kMaxSideBytes);
  if (text) return query.Take(ParseSide(name, *text));
  query.Fail({"bad_parameter",
              fmt::format("{}: is missing: a run, or an environment (rocm:7.0.1)", name)});
  return {};
}

// A limit of the rule: a number of at least `least`.
void ReadLimit(RequestQuery& query, const char* name, double least, double& limit) {
  const auto text = query.Text(name);
  if (!text) return;
  const auto number = core::ParseNumber(*text);
  if (!number || !(*number >= least) || std::isinf(*number)) {
    query.Fail({"bad_parameter", fmt::format("{}: '{}' is no number from {}", name, *text,
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
  choice.offset = query.Size("offset", 0, kMostOffset, 0);
  choice.most = query.Size("limit", 0, kMostListedKeys, kListedKeys);
  return choice;
}

http::Response GetCompare(const InsightServices& services, const http::Request& request) {
  RequestQuery query(
      request, {"base", "head", "family", "gfx", "cu_num", "ratio", "slack_us", "ignore_below_us",
                "spread", "change", "sort", "offset", "limit", "format"});
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
  if (csv)
    return http::TextResponse(200, "text/csv; charset=utf-8", analysis::ToCsv(comparison, choice));
  return http::JsonResponse(200, analysis::ToJson(comparison, asked.limits, choice).dump());
}

// From a word to where it stands in the registry.

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSearchBytes = 256;  // a kernel's name has up to 159
constexpr std::int64_t kDefaultHits = 10, kMaxHits = 50;

Json HitsJson(const SearchHits& hits) {
  Json json = {{"families", Json::array()}, {"models", hits.models},   {"products", Json::array()},
               {"kernels", Json::array()},  {"shapes", Json::array()}, {"runs", Json::array()},
               {"revisions", Json::array()}};
  for (const core::Device* device : hits.products) {
    json["products"].push_back(
        {{"product", device->product}, {"gfx", device->gfx}, {"cu_num", device->cu_num}});
  }
  if (hits.revision) json["revisions"].push_back(*hits.revision);
  for (const core::Family* family : hits.families) {
    json["families"].push_back({{"family", family->name}, {"title", family->title}});
  }
  for (const auto& kernel : hits.kernels) {
    json["kernels"].push_back({{"family", kernel.family->name},
                               {"kernel", kernel.name},
                               {"rows", kernel.rows.all},
                               {"baselines", kernel.rows.baselines}});
  }
  for (const auto& shape : hits.shapes) {
    Json cells = Json::object();
    for (const auto& [column, value] : shape.cells)
      cells[shape.family->columns[column].name] = value;
    json["shapes"].push_back({{"family", shape.family->name},
                              {"shape", std::move(cells)},
                              {"rows", shape.rows.all},
                              {"baselines", shape.rows.baselines}});
  }
  return json;
}

// Names are found without a database, runs are not.
Json RunsJson(const InsightServices& services, const SearchHits& hits, const std::string& text,
              std::size_t limit) {
  Json runs = Json::array();
  try {
    for (const auto& run : services.runs.store.Select({.text = text, .also = hits.run}, limit))
      runs.push_back(RunJson(run));
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The answer says that it is stale.
  }
  return runs;
}

http::Response GetSearch(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"q", "limit"});
  const auto text = query.Text("q", kMaxSearchBytes);
  if (!text) query.Fail({"bad_parameter", "q: is missing; it is the text to look for"});
  const std::size_t limit = query.Size("limit", 1, kMaxHits, kDefaultHits);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto set = services.snapshots.Current();
  const auto hits = Search(services.definitions, *set, *text, limit);
  Json json = HitsJson(hits);
  json["runs"] = RunsJson(services, hits, *text, limit);
  return WarnedIfStale(services, http::JsonResponse(200, json.dump()));
}

constexpr std::int64_t kDefaultRevisions = 50, kMaxRevisions = 500;
constexpr std::int64_t kUsualDays = 7, kMostDays = 366;

http::Response GetRevisions(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"before", "limit"});
  const std::int64_t before = query.Number("before", 1, kMaxId, kMaxId);
  const std::size_t limit = query.Size("limit", 1, kMaxRevisions, kDefaultRevisions);
  if (!query.ok()) return ProblemFor(query.error());
  const auto revisions = RevisionStore(services.pool).List(before, limit);
  Json json = {{"revisions", Json::array()}};
  for (const RevisionRecord& revision : revisions) {
    Json families = Json::array();
    for (const auto& family : revision.families) {
      families.push_back({{"family", family.name},
                          {"changed", family.changed},
                          {"family_version", family.version},
                          {"sha256", TextOrNull(family.body_sha256)}});
    }
    json["revisions"].push_back({{"revision", revision.revision.number},
                                 {"pin", revision.revision.Text()},
                                 {"created", revision.created},
                                 {"kind", revision.kind},
                                 {"cause", revision.cause},
                                 {"families", std::move(families)}});
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (revisions.size() == limit) {
    AddNextPage(response, request,
                {{"before", std::to_string(revisions.back().revision.number)},
                 {"limit", std::to_string(limit)}});
  }
  return response;
}

Json LineJson(const InsightServices& services, const ChangeLine& line) {
  Json families = Json::array();
  for (const auto& family : services.definitions.families.all()) {
    const auto keys = line.keys.find(services.definitions.Id(*family));
    if (keys == line.keys.end()) continue;
    families.push_back({{"family", family->name}, {"keys", keys->second}});
  }
  return {{"first", line.first},         {"last", line.last},
          {"latest", line.latest},       {"kind", line.kind},
          {"cause", line.cause},         {"runs", line.runs},
          {"run_count", line.run_count}, {"families", std::move(families)}};
}

http::Response GetChanges(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"days", "limit"});
  const std::int64_t days = query.Number("days", 1, kMostDays, kUsualDays);
  const std::size_t limit = query.Size("limit", 1, kMaxRevisions, kDefaultRevisions);
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  // One more than is listed says whether there is more.
  const auto lines = services.analyses.changes.Lately(static_cast<int>(days), limit + 1);
  Json json = {{"days", days}, {"more", lines->size() > limit}, {"changes", Json::array()}};
  for (std::size_t i = 0; i < std::min(limit, lines->size()); ++i) {
    json["changes"].push_back(LineJson(services, lines->at(i)));
  }
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> ComparisonRoutes(const InsightServices& services) {
  return {
      Heavy({"GET", "/compare", With(services, GetCompare)}),
      Heavy({"GET", "/search", With(services, GetSearch)}),
      {"GET", "/revisions", With(services, GetRevisions)},
      Heavy({"GET", "/changes", With(services, GetChanges)}),
  };
}

}  // namespace tunehub::server
