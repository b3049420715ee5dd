#include "server/keys/admission.h"

#include <fmt/core.h>

#include <string_view>

#include "core/base/text.h"
#include "server/answers/problems.h"

namespace tunehub::server {
namespace {

constexpr std::string_view kBearer = "bearer ";
constexpr std::string_view kReadScope = "read";
constexpr std::string_view kInvalidToken = ", error=\"invalid_token\"";

std::string_view BearerOf(const http::RequestHead& head) {
  const std::string_view value = head.Header("authorization").value_or("");
  // RFC 9110 11.1: "Bearer" in upper or lower case, then at least one space.
  if (!core::IsSameButForCase(value.substr(0, kBearer.size()), kBearer)) return {};
  return core::Trim(value.substr(kBearer.size()));
}

using Why = RefusedFor;

http::Response Unauthorized(Why why, std::string_view code, std::string_view detail) {
  http::Response response = http::Problem(401, code, detail);
  const std::string_view error = why == Why::kNoKey ? "" : kInvalidToken;
  response.headers.emplace_back("WWW-Authenticate",
                                fmt::format(R"(Bearer realm="tunehub"{})", error));
  response.refusal = static_cast<int>(why);
  return response;
}

http::Response WrongScope(const std::string& scope) {
  http::Response response =
      http::Problem(403, "wrong_scope", "this request needs a key of scope " + scope);
  response.refusal = static_cast<int>(Why::kWrongScope);
  return response;
}

// Explains to the operator of a proxy why its header has no effect.
std::string AboutForged(const SignIn& sign_in, const http::RequestHead& head) {
  if (!sign_in.IsForged(head)) return "";
  return fmt::format(" (the hub ignores {} of {}, which is not in the setting trusted_proxies)",
                     sign_in.header(), head.peer);
}

std::optional<http::Response> RefusalOf(KeyVerdict verdict, std::string_view bearer,
                                        const std::string& scope, const std::string& about = "") {
  switch (verdict) {
    case KeyVerdict::kGranted:
      return std::nullopt;
    case KeyVerdict::kMalformed:
      if (!bearer.empty())
        return Unauthorized(Why::kMalformedKey, "wrong_key",
                            "the key is malformed; expected thub_...");
      return Unauthorized(
          Why::kNoKey, "no_key",
          fmt::format(
              "this request needs the header 'Authorization: Bearer thub_...' with a key of "
              "scope {}{}",
              scope, about));
    case KeyVerdict::kExpired:
      return Unauthorized(Why::kExpiredKey, "expired_key", "the key has expired");
    case KeyVerdict::kRevoked:
      return Unauthorized(Why::kRevokedKey, "revoked_key", "the key was revoked");
    case KeyVerdict::kForbidden:
      return WrongScope(scope);
    case KeyVerdict::kUnknown:
      break;
  }
  return Unauthorized(Why::kUnknownKey, "wrong_key", "the key is unknown");
}

// Returns the user of a request without a key, or the refusal of the user. Nothing: there is no
// user.
std::optional<std::variant<Writer, http::Response>> UserOf(const SignIn& sign_in,
                                                           const http::RequestHead& head,
                                                           const std::string& scope) {
  auto owner = BearerOf(head).empty() ? sign_in.OwnerOf(head) : std::nullopt;
  if (!owner) return std::nullopt;
  if (!owner->ok()) {
    http::Response refusal = ProblemFor(owner->error());
    refusal.refusal = static_cast<int>(Why::kUnknownKey);
    return refusal;
  }
  if (scope != kReadScope && scope != kAnyScope) return WrongScope(scope);
  Writer user;
  user.owner = **std::move(owner);
  return user;
}

// Returns the refusal with the id of the refused key, for the log.
std::optional<http::Response> Of(const KeyCheck& check, std::optional<http::Response> refusal) {
  if (refusal) refusal->api_key = check.holder.api_key;
  return refusal;
}

}  // namespace

std::optional<http::Response> KeyRefusal(Keys& keys, const SignIn& sign_in,
                                         const http::RequestHead& head, const std::string& scope) {
  if (scope.empty()) return std::nullopt;
  if (auto user = UserOf(sign_in, head, scope)) {
    auto* const refusal = std::get_if<http::Response>(&*user);
    return refusal == nullptr ? std::nullopt : std::optional(std::move(*refusal));
  }
  const std::string_view bearer = BearerOf(head);
  KeyCheck check = keys.Check(bearer, scope);
  if (check.verdict == KeyVerdict::kUnknown) {
    const bool awaited = keys.Awaits(head.arrived);
    if (awaited || !keys.IsOf(head.arrived)) {
      auto not_now =
          UnavailableProblem("the server cannot read the keys now; send the same request again");
      not_now.may_change = awaited;
      return not_now;
    }
    check = keys.Check(bearer, scope);  // a read between the two checks may have added the key
  }
  return Of(check, RefusalOf(check.verdict, bearer, scope, AboutForged(sign_in, head)));
}

std::optional<std::int64_t> KeyOf(const Keys& keys, const http::RequestHead& head) {
  const std::string_view bearer = BearerOf(head);
  if (bearer.empty()) return std::nullopt;
  const KeyCheck check = keys.Check(bearer, "");
  const bool in_force =
      check.verdict == KeyVerdict::kGranted || check.verdict == KeyVerdict::kForbidden;
  return in_force ? std::optional(check.holder.api_key) : std::nullopt;
}

std::variant<Writer, http::Response> UseKey(Keys& keys, const SignIn& sign_in,
                                            const http::Request& request,
                                            const std::string& scope) {
  if (scope.empty()) return Writer{};
  if (auto user = UserOf(sign_in, request, scope)) return *std::move(user);
  const std::string_view bearer = BearerOf(request);
  KeyCheck check = keys.Use(bearer, scope);
  if (auto refusal = Of(check, RefusalOf(check.verdict, bearer, scope))) {
    return *std::move(refusal);
  }
  check.holder.request = request.id;
  return std::move(check.holder);
}

}  // namespace tunehub::server
