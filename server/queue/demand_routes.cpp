// Demand: every shape that was missed, as it was missed.
#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/read_json.h"
#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/answers/shapes.h"
#include "server/answers/target_parameters.h"
#include "server/queue/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultDemand = 100, kMaxDemand = 1000;
constexpr std::size_t kMostMissing = 100;  // each is looked for in the open jobs
constexpr std::size_t kMaxDemandPlaceBytes = 64;

// "12-0f8fad5b-d9cb-469f-a165-70867728950e": the count and the id of a page's last record.
core::Result<DemandPage> ParsePlace(const std::string& text) {
  constexpr std::size_t kUuidChars = 36;
  const core::Error error{"bad_parameter",
                          fmt::format("after: '{}' is no place that a page's Link names", text)};
  const std::size_t dash = text.find('-');
  DemandPage place;
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

core::Result<DemandFilter> ReadDemandFilter(const QueueServices& services,
                                            const http::Request& request) {
  DemandFilter filter;
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

Json RecordJson(const QueueServices& services, const DemandRecord& record) {
  return {{"family", services.definitions.NameOf(record.family)},
          {"gfx", TextOrNull(record.gfx)},
          {"cu_num", record.cu_num == 0 ? Json() : Json(record.cu_num)},
          {"shape", core::SureJsonAs<Json>(record.shape)},
          {"count", record.count},
          {"first_seen", record.first_seen},
          {"last_seen", record.last_seen}};
}

std::pair<std::string, std::string> LinkTo(const http::Request& request, const DemandPage& place) {
  return {"Link",
          NextPage(request, {{"after", fmt::format("{}-{}", place.count, place.id.Uuid())}})};
}

// What is not tuned yet, and by which job it will be.
http::Response GetMissing(const QueueServices& services, const http::Request& request,
                          DemandFilter filter) {
  filter.limit = std::min(filter.limit, kMostMissing);
  services.snapshots.WaitUpToDate();
  const MissingPage page = services.queue.demand.ListMissing(std::move(filter));
  Json json = {{"demand", Json::array()}};
  for (const MissingShape& it : page.shapes) {
    const auto family = FindFamily(services, services.definitions.NameOf(it.record.family));
    Json item = RecordJson(services, it.record);
    item["to_tune"] = ShapeJson(**family, it.to_tune);
    item["job"] = it.job ? Json{{"id", it.job->id}, {"state", it.job->state}} : Json();
    json["demand"].push_back(std::move(item));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (page.next) response.headers.push_back(LinkTo(request, *page.next));
  return response;
}

http::Response GetDemand(const QueueServices& services, const http::Request& request) {
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
  for (const DemandRecord& record : records) {
    json["demand"].push_back(RecordJson(services, record));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (records.size() == filter->limit) {
    response.headers.push_back(LinkTo(request, {records.back().count, records.back().id}));
  }
  return response;
}

// Any text, whatever its type is said to be.
http::Response PostLogs(const QueueServices& services, const http::Request& request,
                        const Caller& caller) {
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

// AITER's untuned tables: what was missed comes in, what is worth tuning goes out.

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMaxLimit = kMaxDemandRows;

http::Response PostUntuned(const QueueServices& services, const http::Request& request,
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
    Json shape = ShapeJson(family, it.shape);
    shape["count"] = it.count;
    json["shapes"].push_back(std::move(shape));
  }
  return json;
}

http::Response GetUntuned(const QueueServices& services, const http::Request& request,
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

std::vector<Endpoint> DemandRoutes(const QueueServices& services) {
  return {
      Heavy({"GET", "/demand", With(services, GetDemand)}),
      {"POST", "/demand/logs", With(services, PostLogs), "submit", true},
      Heavy({"GET", "/untuned/{family}", With(services, GetUntuned, "family")}),
      {"POST", "/untuned/{family}", With(services, PostUntuned, "family"), "submit", true},
  };
}

}  // namespace tunehub::server
