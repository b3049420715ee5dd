// What became slower between two runs or two environments.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

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
#include "server/tables/routes.h"

namespace tunehub::server {
namespace {

// An answer for people to look at, 200 KB at most; format=csv has all keys.
constexpr std::int64_t kListedKeys = 100, kMostListedKeys = 1'000;
constexpr std::int64_t kMostOffset = 10'000'000;  // more keys than any registry holds

core::Result<SideQuery> SideOf(const http::Request& request, std::string_view name) {
  const auto text = TextParameter(request, name, kMaxSideBytes);
  if (!text.ok()) return text.error();
  if (!*text) {
    return core::Error{"bad_parameter",
                       fmt::format("{}: is missing: a run, or an environment (rocm:7.0.1)", name)};
  }
  return ParseSide(name, **text);
}

// A limit of the rule: a number of at least `least`.
core::Status ReadLimit(const http::Request& request, const char* name, double least,
                       double& limit) {
  const auto text = TextParameter(request, name, kMaxNameBytes);
  if (!text.ok()) return text.error();
  if (!*text) return core::Ok();
  const auto number = core::ParseNumber(**text);
  if (!number || !(*number >= least) || std::isinf(*number)) {
    return core::Error{"bad_parameter", fmt::format("{}: '{}' is no number from {}", name, **text,
                                                    nlohmann::json(least).dump())};
  }
  limit = *number;
  return core::Ok();
}

core::Result<analysis::CompareLimits> LimitsOf(const http::Request& request) {
  analysis::CompareLimits limits;
  auto status = ReadLimit(request, "ratio", 1, limits.ratio);
  if (status.ok()) status = ReadLimit(request, "slack_us", 0, limits.slack_us);
  if (status.ok()) status = ReadLimit(request, "ignore_below_us", 0, limits.ignore_below_us);
  if (status.ok()) status = ReadLimit(request, "spread", 0, limits.spread);
  if (!status.ok()) return status.error();
  return limits;
}

core::Result<analysis::KeyChoice> ChoiceOf(const http::Request& request) {
  analysis::KeyChoice choice;
  const auto change = TextParameter(request, "change", kMaxNameBytes);
  if (!change.ok()) return change.error();
  if (*change) {
    const auto known = analysis::ParseChange(**change);
    if (!known.ok()) return known.error();
    choice.change = *known;
  }
  const auto sort = TextParameter(request, "sort", kMaxNameBytes);
  if (!sort.ok()) return sort.error();
  if (*sort) {
    if (const auto known = analysis::ParseOrder(**sort, choice); !known.ok()) return known.error();
  }
  const auto offset = NumberParameter(request, "offset", 0, kMostOffset);
  if (!offset.ok()) return offset.error();
  choice.offset = static_cast<std::size_t>(offset->value_or(0));
  const auto most = NumberParameter(request, "limit", 0, kMostListedKeys);
  if (!most.ok()) return most.error();
  choice.most = static_cast<std::size_t>(most->value_or(kListedKeys));
  return choice;
}

struct Question {
  CompareQuery query;
  analysis::KeyChoice choice;
  bool csv = false;
};

core::Result<Question> ReadQuestion(const InsightServices& services, const http::Request& request) {
  const auto known = CheckParameters(
      request, {"base", "head", "family", "gfx", "cu_num", "ratio", "slack_us", "ignore_below_us",
                "spread", "change", "sort", "offset", "limit", "format"});
  if (!known.ok()) return known.error();
  auto base = SideOf(request, "base"), head = SideOf(request, "head");
  if (!base.ok()) return base.error();
  if (!head.ok()) return head.error();
  auto families = TimedFamilies(services, request);
  if (!families.ok()) return families.error();
  auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target.error();
  const auto limits = LimitsOf(request);
  if (!limits.ok()) return limits.error();
  const auto choice = ChoiceOf(request);
  if (!choice.ok()) return choice.error();
  const auto format = ChoiceParameter(request, "format", {"json", "csv"});
  if (!format.ok()) return format.error();
  return Question{{*std::move(base), *std::move(head), *std::move(families), *std::move(target),
                   *limits, TimedFamilies(services)},
                  *choice,
                  *format == "csv"};
}

http::Response GetCompare(const InsightServices& services, const http::Request& request) {
  const auto asked = ReadQuestion(services, request);
  if (!asked.ok()) return ProblemFor(asked.error());
  const auto found = services.analyses.comparisons.Get(asked->query);
  if (!found.ok()) return ProblemFor(found.error());
  const analysis::Comparison& comparison = **found;
  if (asked->csv) {
    return http::TextResponse(200, "text/csv; charset=utf-8",
                              analysis::ToCsv(comparison, asked->choice));
  }
  return http::JsonResponse(
      200, analysis::ToJson(comparison, asked->query.limits, asked->choice).dump());
}

}  // namespace

// From a word to where it stands in the registry.

namespace {

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
    for (const auto& run : services.runs.Search(hits.run.value_or(0), text, limit))
      runs.push_back(RunJson(run));
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The answer says that it is stale.
  }
  return runs;
}

http::Response GetSearch(const InsightServices& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"q", "limit"}); !known.ok())
    return ProblemFor(known.error());
  const auto text = TextParameter(request, "q", kMaxSearchBytes);
  if (!text.ok()) return ProblemFor(text.error());
  if (text->value_or("").empty())
    return ProblemFor({"bad_parameter", "q: is missing; it is the text to look for"});
  const auto limit = NumberParameter(request, "limit", 1, kMaxHits);
  if (!limit.ok()) return ProblemFor(limit.error());
  services.snapshots.WaitUpToDate();
  const auto set = services.snapshots.Current();
  const auto most = static_cast<std::size_t>(limit->value_or(kDefaultHits));
  const auto hits = Search(services.definitions, *set, **text, most);
  Json json = HitsJson(hits);
  json["runs"] = RunsJson(services, hits, **text, most);
  http::Response response = http::JsonResponse(200, json.dump());
  WarnIfStale(services, response);
  return response;
}

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRevisions = 50, kMaxRevisions = 500;
constexpr std::int64_t kUsualDays = 7, kMostDays = 366;

http::Response GetRevisions(const InsightServices& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"before", "limit"}); !known.ok()) {
    return ProblemFor(known.error());
  }
  constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();
  const auto before = NumberParameter(request, "before", 1, kNewest);
  if (!before.ok()) return ProblemFor(before.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxRevisions);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultRevisions));
  const auto revisions = services.revisions.List(before->value_or(kNewest), size);
  Json json = {{"revisions", Json::array()}};
  for (const RevisionRecord& revision : revisions) {
    Json families = Json::array();
    for (const auto& family : revision.families) {
      families.push_back(
          {{"family", family.name},
           {"changed", family.changed},
           {"family_version", family.version},
           {"sha256", family.body_sha256.empty() ? Json() : Json(family.body_sha256)}});
    }
    json["revisions"].push_back({{"revision", revision.revision.number},
                                 {"pin", revision.revision.Text()},
                                 {"created", revision.created},
                                 {"kind", revision.kind},
                                 {"cause", revision.cause},
                                 {"families", std::move(families)}});
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (revisions.size() == size) {
    response.headers.emplace_back("Link",
                                  fmt::format(R"(</revisions?before={}&limit={}>; rel="next")",
                                              revisions.back().revision.number, size));
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
  if (const auto known = CheckParameters(request, {"days", "limit"}); !known.ok()) {
    return ProblemFor(known.error());
  }
  const auto days = NumberParameter(request, "days", 1, kMostDays);
  if (!days.ok()) return ProblemFor(days.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxRevisions);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto most = static_cast<std::size_t>(limit->value_or(kDefaultRevisions));
  services.snapshots.WaitUpToDate();
  // One more than is listed says whether there is more.
  const auto lines =
      services.analyses.changes.Lately(static_cast<int>(days->value_or(kUsualDays)), most + 1);
  Json json = {{"days", days->value_or(kUsualDays)},
               {"more", lines->size() > most},
               {"changes", Json::array()}};
  for (std::size_t i = 0; i < std::min(most, lines->size()); ++i) {
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
