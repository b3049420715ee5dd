// From a word to where it stands in the registry.
#include <nlohmann/json.hpp>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/tuned.h"
#include "server/service/analysis/registry_search.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSearchBytes = 256;  // a kernel's name has up to 159
constexpr std::int64_t kDefaultHits = 10, kMaxHits = 50;

Json HitsJson(const service::SearchHits& hits) {
  Json json = {{"families", Json::array()},
               {"models", hits.models},
               {"kernels", Json::array()},
               {"shapes", Json::array()}};
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

http::Response GetSearch(const Services& services, const http::Request& request) {
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
  const auto hits = service::Search(services.definitions, *set, **text,
                                    static_cast<std::size_t>(limit->value_or(kDefaultHits)));
  http::Response response = http::JsonResponse(200, HitsJson(hits).dump());
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> SearchRoutes(Services& services) {
  return {Heavy({"GET", "/search", [&](const auto& request, const auto&, const auto&) {
                   return GetSearch(services, request);
                 }})};
}

}  // namespace tunehub::api
