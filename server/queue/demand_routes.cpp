// Routes of demand (every missed shape) and of AITER's untuned tables.
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
constexpr std::size_t kMostMissing = 100;  // each needs a search in the open jobs
constexpr std::size_t kMaxDemandPlaceBytes = 64;

// "12-0f8fad5b-d9cb-469f-a165-70867728950e": the count and the id of a page's last record.
core::Result<DemandPage> ParsePlace(const std::string& text) {
  const core::Error error{
      "bad_parameter",
      fmt::format("after: '{}': expected a value from a page's Link header", text)};
  const std::size_t dash = text.find('-');
  DemandPage place;
  const auto parsed =
      std::from_chars(text.data(), text.data() + std::min(dash, text.size()), place.count);
  if (dash == std::string::npos || parsed.ec != std::errc() || parsed.ptr != text.data() + dash) {
    return error;
  }
  try {
    place.id = core::ParseUuid(text.substr(dash + 1));
  } catch (const std::invalid_argument&) {
    return error;
  }
  return place;
}

DemandFilter ReadDemandFilter(const QueueServices& services, RequestQuery& query) {
  DemandFilter filter;
  if (const core::Family* const family = query.Family(services))
    filter.family = services.definitions.Id(*family);
  const core::Target target = DemandTargetOf(services, query);
  if (!target.gfx.empty()) filter.gfx = target.gfx;
  if (target.cu_num > 0) filter.cu_num = target.cu_num;
  if (const auto after = query.Text("after", kMaxDemandPlaceBytes))
    filter.after = query.Take(ParsePlace(*after));
  filter.limit = query.Size("limit", 1, kMaxDemand, kDefaultDemand);
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

void AddNextDemand(http::Response& response, const http::Request& request, const DemandPage& next) {
  AddNextPage(response, request, {{"after", fmt::format("{}-{}", next.count, next.id.Uuid())}});
}

// Untuned shapes, and the jobs that will tune them.
http::Response GetMissing(const QueueServices& services, const http::Request& request,
                          DemandFilter filter) {
  filter.limit = std::min(filter.limit, kMostMissing);
  services.snapshots.WaitUpToDate();
  const MissingPage page = services.queue.demand.ListMissing(std::move(filter));
  Json json = {{"demand", Json::array()}};
  for (const MissingShape& it : page.shapes) {
    Json item = RecordJson(services, it.record);
    item["to_tune"] = ShapeJson(*it.family, it.to_tune);
    item["job"] = it.job ? Json{{"id", it.job->id}, {"state", it.job->state}} : Json();
    json["demand"].push_back(std::move(item));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (page.next) AddNextDemand(response, request, *page.next);
  return response;
}

http::Response GetDemand(const QueueServices& services, const http::Request& request) {
  RequestQuery query(request, {"family", "gfx", "cu_num", "tuned", "limit", "after"});
  const DemandFilter filter = ReadDemandFilter(services, query);
  const bool missing = query.Choice("tuned", {"any", "no"}) == "no";
  if (!query.ok()) return ProblemFor(query.error());
  if (missing) return GetMissing(services, request, filter);
  const auto records = services.queue.demand.store.ListDemand(filter);
  Json json = {{"demand", Json::array()}};
  for (const DemandRecord& record : records) {
    json["demand"].push_back(RecordJson(services, record));
  }
  http::Response response = http::JsonResponse(200, json.dump());
  if (records.size() == filter.limit)
    AddNextDemand(response, request, {records.back().count, records.back().id});
  return response;
}

// Accepts any text, with any content type.
http::Response PostLogs(const QueueServices& services, const http::Request& request,
                        const Caller& caller) {
  RequestQuery query(request, {"gfx", "cu_num", "dry_run"});
  const core::Target target = DemandTargetOf(services, query);
  const std::string body = DecodedBody(query, request, services.body_bytes);
  const WriteRequest write = ReadWriteRequest(query, request, body, caller);
  if (!query.ok()) return ProblemFor(query.error());
  return WriteResponse(services.queue.demand.PostLogs(body, target, write));
}

http::Response PostUntuned(const QueueServices& services, const http::Request& request,
                           const core::Family& family, const Caller& caller) {
  RequestQuery query(request, {"gfx", "cu_num", "atomic", "dry_run"});
  const TablePost post = ReadTablePost(services, query, request, caller);
  const core::Target target = DemandTargetOf(services, query);
  if (!query.ok()) return ProblemFor(query.error());
  return WriteResponse(
      services.queue.demand.Post(family, post.body, post.format, target, post.write));
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
                          const core::Family& family) {
  RequestQuery query(request, {"gfx", "cu_num", "limit", "format"});
  const core::Target target = OneTarget(services, query, &family);
  const std::size_t limit = query.Size("limit", 1, kMaxDemandRows, kMaxDemandRows);
  const bool csv = query.Choice("format", {"csv", "json"}) == "csv";
  if (!query.ok()) return ProblemFor(query.error());
  services.snapshots.WaitUpToDate();
  const auto demand = services.queue.demand.Untuned(family, target, limit);
  if (!csv) return http::JsonResponse(200, UntunedJson(family, target, demand).dump());
  std::vector<core::FamilyShape> shapes;
  for (const core::ShapeDemand& it : demand) shapes.push_back(it.shape);
  return http::TextResponse(200, "text/csv; charset=utf-8",
                            core::WriteUntunedTable(family, target, shapes));
}

}  // namespace

std::vector<Endpoint> DemandRoutes(const QueueServices& services) {
  return {
      Heavy({"GET", "/demand", With(services, GetDemand)}),
      {"POST", "/demand/logs", With(services, PostLogs), "submit", true},
      Heavy({"GET", "/untuned/{family}", WithFamily(services, GetUntuned)}),
      {"POST", "/untuned/{family}", WithFamily(services, PostUntuned), "submit", true},
  };
}

}  // namespace tunehub::server
