// AITER's untuned tables: what was missed comes in, what is worth tuning goes out.
#include <nlohmann/json.hpp>

#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/service/queue/shape_json.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxLimit = service::kMaxDemandRows;

http::Response PostUntuned(Services& services, const http::Request& request,
                           std::string_view family_name, const Caller& caller) {
  const auto post =
      ReadTablePost(services, request, family_name, caller, {"gfx", "cu_num", "atomic", "dry_run"});
  if (!post.ok()) return ProblemFor(post.error());
  const auto target = DemandTargetOf(services, request);
  if (!target.ok()) return ProblemFor(target.error());
  return WriteResponse(
      services.queue.demand.Post(*post->family, post->body, post->format, *target, post->write));
}

Json UntunedJson(const core::Family& family, const core::Target& target,
                 const std::vector<core::ShapeDemand>& demand) {
  Json json = {{"family", family.name},
               {"gfx", target.gfx},
               {"cu_num", target.cu_num == 0 ? Json() : Json(target.cu_num)},
               {"shapes", Json::array()}};
  for (const core::ShapeDemand& it : demand) {
    Json shape = service::ShapeJson(family, it.shape);
    shape["count"] = it.count;
    json["shapes"].push_back(std::move(shape));
  }
  return json;
}

http::Response GetUntuned(Services& services, const http::Request& request,
                          std::string_view family_name) {
  const auto family = FindFamily(services, family_name);
  if (!family.ok()) return ProblemFor(family.error());
  const auto known = CheckParameters(request, {"gfx", "cu_num", "raw", "limit", "format"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto target = OneTarget(services, **family, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto raw = FlagParameter(request, "raw");
  if (!raw.ok()) return ProblemFor(raw.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxLimit);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto format = ChoiceParameter(request, "format", {"csv", "json"});
  if (!format.ok()) return ProblemFor(format.error());
  services.snapshots.WaitUpToDate();
  const auto demand = services.queue.demand.Untuned(
      **family, *target, *raw, static_cast<std::size_t>(limit->value_or(kMaxLimit)));
  if (*format == "json") {
    return http::JsonResponse(200, UntunedJson(**family, *target, demand).dump());
  }
  std::vector<core::FamilyShape> shapes;
  for (const core::ShapeDemand& it : demand) shapes.push_back(it.shape);
  return http::TextResponse(200, "text/csv; charset=utf-8",
                            core::WriteUntunedTable(**family, *target, shapes));
}

}  // namespace

std::vector<Endpoint> UntunedRoutes(Services& services) {
  return {
      Heavy({"GET", "/untuned/{family}", With(services, GetUntuned, "family")}),
      {"POST", "/untuned/{family}", With(services, PostUntuned, "family"), "submit", true},
  };
}

}  // namespace tunehub::api
