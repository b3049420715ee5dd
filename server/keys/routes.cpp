// GET /keys/self describes the holder's API key. GET /audit is the audit log. GET /signing-keys
// lists the keys that sign answers.
#include "server/keys/routes.h"

#include <nlohmann/json.hpp>

#include "server/answers/answer.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/db/failures.h"
#include "server/db/quota.h"
#include "server/keys/key_store.h"
#include "server/keys/keys.h"
#include "server/keys/signing_key_store.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

// Returns the API key's writes of today, and its limits; null: no limit.
Json QuotasJson(const DayOfKey& day, const Caller& caller) {
  Json json = {{"ends", day.ends}};
  for (const Quota& quota : kQuotas) {
    const std::int64_t limit = caller.quotas ? (*caller.quotas).*quota.count : 0;
    json[quota.name] = {{"used", day.used.*quota.count},
                        {"limit", limit == 0 ? Json() : Json(limit)}};
  }
  return json;
}

http::Response GetOwnKey(const KeyServices& services, const http::Request&, const Caller& caller) {
  Json json = {{"key", caller.api_key == 0 ? Json() : Json(caller.api_key)},
               {"owner", caller.owner},
               {"admin", caller.admin},
               {"quotas", Json()}};
  try {
    // A user whom a proxy signed in has no key, and writes nothing.
    if (caller.api_key != 0)
      json["quotas"] = QuotasJson(ReadDayOfKey(services.pool, caller.api_key), caller);
  } catch (const Unavailable&) {  // NOLINT(bugprone-empty-catch)
    // The other members are from memory.
  }
  return http::JsonResponse(200, json.dump());
}

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
  RequestQuery query(request, {"after", "limit"});
  const std::int64_t before = query.Number("after", 1, kMaxId, kMaxId);
  const std::size_t limit = query.Size("limit", 1, kMaxRecords, kDefaultRecords);
  if (!query.ok()) return ProblemFor(query.error());
  const auto records = ListAudit(services.pool, before, limit);
  Json json = {{"audit", Json::array()}};
  for (const AuditRecord& record : records) json["audit"].push_back(AuditJson(record));
  http::Response response = http::JsonResponse(200, json.dump());
  if (records.size() == limit)
    AddNextPage(response, request, {{"after", std::to_string(records.back().id)}});
  return response;
}

// Includes the signatures that lead from a client's trusted key to the key in force.
http::Response GetSigningKeys(const KeyServices& services, const http::Request&) {
  Json json = {{"keys", Json::array()}};
  for (const SigningKeyRecord& key : ListSigningKeys(services.pool)) {
    json["keys"].push_back(
        {{"public_key", key.text}, {"rotation", key.rotation}, {"created", key.created}});
  }
  return http::JsonResponse(200, json.dump());
}

}  // namespace

std::vector<Endpoint> KeyRoutes(const KeyServices& services) {
  return {
      NoQuery({"GET", "/keys/self", With(services, GetOwnKey), std::string(kAnyScope)}),
      NoQuery({"GET", "/signing-keys", With(services, GetSigningKeys)}),
      {"GET", "/audit", With(services, GetAudit), "admin"},
  };
}

}  // namespace tunehub::server
