// Who wrote what: for those who may do everything.
#include <nlohmann/json.hpp>

#include "server/api/job_json.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultRecords = 50, kMaxRecords = 500;

Json AuditJson(const service::AuditRecord& record) {
  return {{"id", record.id},
          {"at", record.at},
          {"owner", TextOrNull(record.owner)},
          {"key", record.api_key == 0 ? Json() : Json(record.api_key)},
          {"action", record.action},
          {"detail", record.detail},
          {"request", TextOrNull(record.request)}};
}

http::Response GetAudit(const Services& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"before", "limit"}); !known.ok())
    return ProblemFor(known.error());
  const auto before = NumberParameter(request, "before", 1, kMaxId);
  if (!before.ok()) return ProblemFor(before.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxRecords);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultRecords));
  const auto records = services.audit.List(before->value_or(kMaxId), size);
  Json json = {{"audit", Json::array()}};
  for (const service::AuditRecord& record : records) json["audit"].push_back(AuditJson(record));
  http::Response response = http::JsonResponse(200, json.dump());
  if (records.size() == size) {
    response.headers.emplace_back(
        "Link", NextPage(request, {{"before", std::to_string(records.back().id)}}));
  }
  return response;
}

}  // namespace

std::vector<Endpoint> AuditRoutes(Services& services) {
  return {{"GET", "/audit", With(services, GetAudit), "admin"}};
}

}  // namespace tunehub::api
