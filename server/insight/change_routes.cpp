// Routes of revisions and of changes.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/insight/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRevisions = 50, kMaxRevisions = 500;
constexpr std::int64_t kUsualDays = 7, kMostDays = 366;

http::Response GetRevisions(const InsightServices& services, const http::Request& request) {
  RequestQuery query(request, {"after", "limit"});
  const std::int64_t before = query.Number("after", 1, kMaxId, kMaxId);
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
                {{"after", std::to_string(revisions.back().revision.number)},
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
  // Reads one line more than it lists, to find out if there are more lines.
  const auto lines = services.analyses.changes.Lately(static_cast<int>(days), limit + 1);
  Json json = {{"days", days}, {"more", lines->size() > limit}, {"changes", Json::array()}};
  for (std::size_t i = 0; i < std::min(limit, lines->size()); ++i) {
    json["changes"].push_back(LineJson(services, lines->at(i)));
  }
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> ChangeRoutes(const InsightServices& services) {
  return {
      {"GET", "/revisions", With(services, GetRevisions)},
      Heavy({"GET", "/changes", With(services, GetChanges)}),
  };
}

}  // namespace tunehub::server
