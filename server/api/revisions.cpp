#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRevisions = 50, kMaxRevisions = 500;
constexpr std::int64_t kUsualDays = 7, kMostDays = 366;

http::Response GetRevisions(const Services& services, const http::Request& request) {
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
  for (const service::RevisionRecord& revision : revisions) {
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

Json LineJson(const Services& services, const service::ChangeLine& line) {
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

http::Response GetChanges(Services& services, const http::Request& request) {
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

std::vector<Endpoint> RevisionRoutes(Services& services) {
  return {
      {"GET", "/revisions", With(services, GetRevisions)},
      Heavy({"GET", "/changes", With(services, GetChanges)}),
  };
}

}  // namespace tunehub::api
