// What the key of a request is: for who has one, and wants to know it before using it.
#include "server/keys/routes.h"

#include <nlohmann/json.hpp>

#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/keys/key_store.h"
#include "server/keys/keys.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

http::Response GetOwnKey(const http::Request& request, const Caller& caller) {
  if (const auto known = CheckParameters(request, {}); !known.ok())
    return ProblemFor(known.error());
  const nlohmann::ordered_json json = {
      {"key", caller.api_key}, {"owner", caller.owner}, {"admin", caller.admin}};
  return http::JsonResponse(200, json.dump());
}

// Who wrote what: for those who may do everything.

constexpr std::int64_t kDefaultRecords = 50, kMaxRecords = 500;

Json AuditJson(const AuditRecord& record) {
  return {{"id", record.id},
          {"at", record.at},
          {"owner", TextOrNull(record.owner)},
          {"key", record.api_key == 0 ? Json() : Json(record.api_key)},
          {"action", record.action},
          {"detail", record.detail},
          {"request", TextOrNull(record.request)}};
}

http::Response GetAudit(const KeyServices& services, const http::Request& request) {
  if (const auto known = CheckParameters(request, {"before", "limit"}); !known.ok())
    return ProblemFor(known.error());
  const auto before = NumberParameter(request, "before", 1, kMaxId);
  if (!before.ok()) return ProblemFor(before.error());
  const auto limit = NumberParameter(request, "limit", 1, kMaxRecords);
  if (!limit.ok()) return ProblemFor(limit.error());
  const auto size = static_cast<std::size_t>(limit->value_or(kDefaultRecords));
  const auto records = AuditStore(services.pool).List(before->value_or(kMaxId), size);
  Json json = {{"audit", Json::array()}};
  for (const AuditRecord& record : records) json["audit"].push_back(AuditJson(record));
  http::Response response = http::JsonResponse(200, json.dump());
  if (records.size() == size) {
    response.headers.emplace_back(
        "Link", NextPage(request, {{"before", std::to_string(records.back().id)}}));
  }
  return response;
}

}  // namespace

std::vector<Endpoint> KeyRoutes(const KeyServices& services) {
  return {
      {"GET", "/keys/self",
       [](const auto& request, const auto&, const auto& caller) {
         return GetOwnKey(request, caller);
       },
       std::string(kAnyScope)},
      {"GET", "/audit", With(services, GetAudit), "admin"},
  };
}

}  // namespace tunehub::server
