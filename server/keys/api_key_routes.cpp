// Lists, makes, rotates and revokes API keys, for admins. The commands `key ...` call the same
// functions of Keys.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/answers/answer.h"
#include "server/answers/body.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/keys/routes.h"

namespace tunehub::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kDefaultKeys = 100, kMaxKeys = 1'000;

Json KeyJson(const KeyRecord& key) {
  return {{"id", key.id},
          {"hint", key.hint},
          {"scope", key.scope},
          {"owner", key.owner},
          {"limits", LimitsJson(key.limits)},
          {"created", key.created},
          {"expires", TextOrNull(key.expires)},
          {"last_used", TextOrNull(key.last_used)},
          {"revoked", TextOrNull(key.revoked)},
          {"successor", key.successor == 0 ? Json() : Json(key.successor)}};
}

http::Response KeyAnswer(int status, const Json& json) {
  http::Response response = http::JsonResponse(status, json.dump());
  response.headers.emplace_back("Cache-Control", kNoStore);
  return response;
}

// The only answer with the secret.
http::Response Shown(const core::Result<NewKey>& key) {
  if (!key.ok()) return ProblemFor(key.error());
  Json json = KeyJson(key->record);
  json["secret"] = key->secret;
  return KeyAnswer(201, json);
}

http::Response GetKeys(const KeyServices& services, const http::Request& request) {
  RequestQuery query(request, {"after", "limit"});
  const std::int64_t after = query.Number("after", 0, kMaxId, 0);
  const std::size_t limit = query.Size("limit", 1, kMaxKeys, kDefaultKeys);
  if (!query.ok()) return ProblemFor(query.error());
  Json json = {{"keys", Json::array()}};
  std::int64_t last = 0;
  bool more = false;
  for (const KeyRecord& key : KeyStore(services.pool).List().keys) {
    if (key.id <= after) continue;
    more = json["keys"].size() == limit;
    if (more) break;
    json["keys"].push_back(KeyJson(key));
    last = key.id;
  }
  http::Response response = KeyAnswer(200, json);
  if (more) AddNextPage(response, request, {{"after", std::to_string(last)}});
  return response;
}

std::optional<std::string> OptionalText(core::JsonObject& body, const std::string& member) {
  return body.Has(member) ? std::optional(body.Text(member)) : std::nullopt;
}

// An empty list would mean "no limit", so the hub refuses it.
void ReadLimits(core::JsonObject& body, KeyLimits& limits) {
  if (!body.Has("limits")) return;
  core::JsonObject object = body.Object("limits");
  for (const KeyLimit& limit : kLimitLists) {
    if (!object.Has(limit.name)) continue;
    limits.*limit.list = object.Texts(limit.name);
    if ((limits.*limit.list).empty())
      object.Fail(limit.name, "must name at least one, or be absent (no limit)");
  }
  object.Finish();
}

// Only a key that may write everything may change keys. Otherwise its holder would make a key
// without its limits.
void ExpectUnlimited(RequestQuery& query, const Caller& caller) {
  const core::Status may = CheckUnlimited(caller, "a change of API keys");
  if (!may.ok()) query.Fail(may.error());
}

http::Response PostKey(const KeyServices& services, const http::Request& request,
                       const Caller& caller) {
  RequestQuery query(request, {});
  ExpectUnlimited(query, caller);
  std::string scope;
  std::optional<std::string> expires;
  KeyRights rights;
  ReadBody(query, request, kMaxBodyBytes, [&](core::JsonObject& body, core::JsonErrors&) {
    scope = body.Text("scope");
    expires = OptionalText(body, "expires");
    rights.owner = body.Text("owner", kDefaultOwner);
    ReadLimits(body, rights.limits);
  });
  if (!query.ok()) return ProblemFor(query.error());
  return Shown(services.keys.Create(scope, expires, rights, caller));
}

http::Response RotateKey(const KeyServices& services, const http::Request& request,
                         std::string_view id, const Caller& caller) {
  RequestQuery query(request, {});
  ExpectUnlimited(query, caller);
  const std::int64_t key = query.Id("id", id);
  std::optional<std::string> expires;
  std::int64_t grace_hours = kDefaultGraceHours;
  const auto read = [&](core::JsonObject& body, core::JsonErrors&) {
    grace_hours = BoundedInteger(body, "grace_hours", kDefaultGraceHours, 0, kMostGraceHours);
    expires = OptionalText(body, "expires");
  };
  if (!request.body.empty()) ReadBody(query, request, kMaxBodyBytes, read);
  if (!query.ok()) return ProblemFor(query.error());
  const auto rotated = services.keys.Rotate(key, expires, static_cast<int>(grace_hours), caller);
  services.keys.Wake();
  return Shown(rotated);
}

http::Response RevokeKey(const KeyServices& services, const http::Request& request,
                         std::string_view id, const Caller& caller) {
  RequestQuery query(request, {});
  ExpectUnlimited(query, caller);
  const std::int64_t key = query.Id("id", id);
  if (!query.ok()) return ProblemFor(query.error());
  const auto revoked = KeyStore(services.pool).Revoke(key, caller);
  services.keys.Wake();  // this server reads the change now, the others within a second
  return revoked.ok() ? KeyAnswer(200, KeyJson(*revoked)) : ProblemFor(revoked.error());
}

}  // namespace

std::vector<Endpoint> ApiKeyRoutes(const KeyServices& services) {
  return {
      {"GET", "/keys", With(services, GetKeys), "admin"},
      {"POST", "/keys", With(services, PostKey), "admin", true},
      {"POST", "/keys/{id}/rotate", With(services, RotateKey, "id"), "admin", true},
      {"POST", "/keys/{id}/revoke", With(services, RevokeKey, "id"), "admin"},
  };
}

}  // namespace tunehub::server
