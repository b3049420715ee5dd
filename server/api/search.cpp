// From a word to where it stands in the registry.
#include <nlohmann/json.hpp>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/run_json.h"
#include "server/api/tuned.h"
#include "server/service/analysis/registry_search.h"
#include "server/service/registry/unavailable.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSearchBytes = 256;  // a kernel's name has up to 159
constexpr std::int64_t kDefaultHits = 10, kMaxHits = 50;

Json HitsJson(const service::SearchHits& hits) {
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
Json RunsJson(const Services& services, const service::SearchHits& hits, const std::string& text,
              std::size_t limit) {
  Json runs = Json::array();
  try {
    for (const auto& run : services.runs.Search(hits.run.value_or(0), text, limit))
      runs.push_back(RunJson(run));
  } catch (const service::Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The answer says that it is stale.
  }
  return runs;
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
  const auto most = static_cast<std::size_t>(limit->value_or(kDefaultHits));
  const auto hits = service::Search(services.definitions, *set, **text, most);
  Json json = HitsJson(hits);
  json["runs"] = RunsJson(services, hits, **text, most);
  http::Response response = http::JsonResponse(200, json.dump());
  WarnIfStale(services, response);
  return response;
}

}  // namespace

std::vector<Endpoint> SearchRoutes(Services& services) {
  return {Heavy({"GET", "/search", With(services, GetSearch)})};
}

}  // namespace tunehub::api
