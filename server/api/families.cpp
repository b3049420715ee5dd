// What there is: the families with their columns, the targets with what is known of them, and the
// models.
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "core/shapes/known_models.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"
#include "server/api/tuned.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

// The family file itself, which is the one description of a family.
http::Response GetFamilies(const Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  Json json = {{"families", Json::array()}};
  for (const auto& family : services.definitions.families.all()) {
    Json item = core::SureJsonAs<Json>(family->source);
    item["header"] = family->Header(false);
    json["families"].push_back(std::move(item));
  }
  return http::JsonResponse(200, json.dump());
}

// What is known of the GPU from targets.json and devices.json.
void Describe(const core::Targets& targets, const core::GpuArch& arch, const std::string& gfx,
              int cu_num, Json& item) {
  Json peaks = Json::object();
  for (const auto& [precision, rate] : arch.flops_per_cu_clock) {
    const auto peak = targets.PeakTflops(gfx, cu_num, precision);
    if (peak && cu_num > 0) peaks[precision] = *peak;
  }
  item["peak_tflops"] = std::move(peaks);
  item["source"] = arch.source;
}

http::Response GetTargets(const Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  std::map<std::pair<std::string, int>, std::map<std::string, std::size_t>> counts;
  const auto set = services.snapshots.Current();
  for (const auto& [id, snapshot] : set->families) {
    for (const auto& row : snapshot->rows)
      ++counts[{row->gfx, row->cu_num}][snapshot->family->name];
  }
  Json json = RevisionJson(set->revision);
  json["targets"] = Json::array();
  for (const auto& [target, families] : counts) {
    Json item = {{"gfx", target.first}, {"cu_num", target.second}, {"rows", families}};
    item["products"] = Json::array();
    for (const core::Device* device :
         services.definitions.targets.devices().Of(target.first, target.second)) {
      item["products"].push_back(device->product);
    }
    if (const core::GpuArch* arch = services.definitions.targets.Find(target.first)) {
      Describe(services.definitions.targets, *arch, target.first, target.second, item);
    }
    json["targets"].push_back(std::move(item));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  WarnIfStale(services, response);
  return response;
}

// Whose shapes /coverage and /jobs/plan know.
http::Response GetModels(const Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  Json json = {{"models", Json::array()}};
  for (const std::string& name : core::KnownModelNames(services.definitions.models))
    json["models"].push_back({{"model", name}});
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> FamilyRoutes(Services& services) {
  return {
      {"GET", "/families", With(services, GetFamilies)},
      Heavy({"GET", "/targets", With(services, GetTargets)}),
      {"GET", "/models", With(services, GetModels)},
  };
}

}  // namespace tunehub::api
