// Demand: every shape that was missed, as it was missed.
#include <fmt/core.h>

#include <charconv>

#include "core/base/read_json.h"
#include "server/api/job_json.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"
#include "server/api/target_parameters.h"
#include "server/service/queue/shape_json.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultDemand = 100, kMaxDemand = 1000;
constexpr std::size_t kMostMissing = 100;  // each is looked for in the open jobs
constexpr std::size_t kMaxDemandPlaceBytes = 64;

// "12-0f8fad5b-d9cb-469f-a165-70867728950e": the count and the id of a page's last record.
core::Result<service::DemandPage> ParsePlace(const std::string& text) {
  constexpr std::size_t kUuidChars = 36;
  const core::Error error{"bad_parameter",
                          fmt::format("after: '{}' is no place that a page's Link names", text)};
  const std::size_t dash = text.find('-');
  service::DemandPage place;
  const auto parsed =
      std::from_chars(text.data(), text.data() + std::min(dash, text.size()), place.count);
  if (dash == std::string::npos || parsed.ec != std::errc() || parsed.ptr != text.data() + dash ||
      text.size() - dash - 1 != kUuidChars) {
    return error;
  }
  try {
    place.id = core::ParseUuid(text.substr(dash + 1));
  } catch (const std::invalid_argument&) {
    return error;
  }
  return place;
}

core::Result<service::DemandFilter> ReadDemandFilter(const Services& services,
                                                     const http::Request& request) {
  service::DemandFilter filter;
  const auto family = TextParameter(request, "family", kMaxNameBytes);
  if (!family.ok()) return family.error();
  if (*family) {
    const auto found = FindFamily(services, **family);
    if (!found.ok()) return found.error();
    filter.family = services.definitions.Id(**found);
  }
  const auto target = DemandTargetOf(services, request);
  if (!target.ok()) return target.error();
  if (!target->gfx.empty()) filter.gfx = target->gfx;
  if (target->cu_num > 0) filter.cu_num = target->cu_num;
  const auto after = TextParameter(request, "after", kMaxDemandPlaceBytes);
  if (!after.ok()) return after.error();
  if (*after) {
    const auto place = ParsePlace(**after);
    if (!place.ok()) return place.error();
    filter.after = *place;
  }
  const auto limit = NumberParameter(request, "limit", 1, kMaxDemand);
  if (!limit.ok()) return limit.error();
  filter.limit = static_cast<std::size_t>(limit->value_or(kDefaultDemand));
  return filter;
}

Json RecordJson(const Services& services, const service::DemandRecord& record) {
  return {{"family", FamilyName(services, record.family)},
          {"gfx", TextOrNull(record.gfx)},
          {"cu_num", record.cu_num == 0 ? Json() : Json(record.cu_num)},
          {"shape", core::SureJsonAs<Json>(record.shape)},
          {"count", record.count},
          {"first_seen", record.first_seen},
          {"last_seen", record.last_seen}};
}

std::pair<std::string, std::string> LinkTo(const http::Request& request,
                                           const service::DemandPage& place) {
  return {"Link",
          NextPage(request, {{"after", fmt::format("{}-{}", place.count, place.id.Uuid())}})};
}

// What is not tuned yet, and by which job it will be.
http::Response GetMissing(const Services& services, const http::Request& request,
                          service::DemandFilter filter) {
  filter.limit = std::min(filter.limit, kMostMissing);
  services.snapshots.WaitUpToDate();
  const service::MissingPage page = services.queue.demand.ListMissing(std::move(filter));
  Json json = {{"demand", Json::array()}};
  for (const service::MissingShape& it : page.shapes) {
    const auto family = FindFamily(services, FamilyName(services, it.record.family));
    Json item = RecordJson(services, it.record);
    item["to_tune"] = service::ShapeJson(**family, it.to_tune);
    item["job"] = it.job ? Json{{"id", it.job->id}, {"state", it.job->state}} : Json();
    json["demand"].push_back(std::move(item));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (page.next) response.headers.push_back(LinkTo(request, *page.next));
  return response;
}

http::Response GetDemand(const Services& services, const http::Request& request) {
  const auto known =
      CheckParameters(request, {"family", "gfx", "cu_num", "tuned", "limit", "after"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto filter = ReadDemandFilter(services, request);
  if (!filter.ok()) return ProblemFor(filter.error());
  const auto tuned = ChoiceParameter(request, "tuned", {"any", "no"});
  if (!tuned.ok()) return ProblemFor(tuned.error());
  if (*tuned == "no") return GetMissing(services, request, *filter);
  const auto records = services.queue.demand.List(*filter);
  Json json = {{"demand", Json::array()}};
  for (const service::DemandRecord& record : records) {
    json["demand"].push_back(RecordJson(services, record));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (records.size() == filter->limit) {
    response.headers.push_back(LinkTo(request, {records.back().count, records.back().id}));
  }
  return response;
}

// Any text, whatever its type is said to be.
http::Response PostLogs(Services& services, const http::Request& request, const Caller& caller) {
  const auto known = CheckParameters(request, {"gfx", "cu_num", "dry_run"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto target = DemandTargetOf(services, request);
  if (!target.ok()) return ProblemFor(target.error());
  const auto body = DecodedBody(request, services.body_bytes);
  if (!body.ok()) return ProblemFor(body.error());
  const auto write = ReadWriteRequest(request, *body, caller);
  if (!write.ok()) return ProblemFor(write.error());
  return WriteResponse(services.queue.demand.PostLogs(*body, *target, *write));
}

}  // namespace

std::vector<Endpoint> DemandRoutes(Services& services) {
  return {
      Heavy({"GET", "/demand", With(services, GetDemand)}),
      {"POST", "/demand/logs", With(services, PostLogs), "submit", true},
  };
}

}  // namespace tunehub::api
