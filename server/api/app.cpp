#include "server/api/app.h"

#include <fmt/core.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <iterator>

#include "server/api/encoding.h"
#include "server/api/problems.h"
#include "server/api/tuned.h"
#include "server/service/registry/unavailable.h"

namespace tunehub::api {
namespace {

constexpr std::string_view kBearer = "Bearer ";

std::string_view BearerOf(const http::RequestHead& head) {
  const std::string_view value = head.Header("authorization").value_or("");
  return value.starts_with(kBearer) ? value.substr(kBearer.size()) : std::string_view();
}

http::Response Unauthorized(std::string_view code, std::string_view detail,
                            std::string_view error) {
  http::Response response = http::Problem(401, code, detail);
  response.headers.emplace_back("WWW-Authenticate",
                                fmt::format(R"(Bearer realm="tunehub"{})", error));
  return response;
}

// What /metrics counts as batches: the writes of measurements.
bool IsBatch(std::string_view path) {
  return path.starts_with("/results/") || path == "/import";
}

// What a key opened is its holder's: a cache between must not hand it to others.
void MakePrivate(http::Response& response) {
  constexpr std::string_view kName = "Cache-Control", kPublic = "public, ", kPrivate = "private";
  for (auto& [name, value] : response.headers) {
    if (name != kName) continue;
    const bool open = value.starts_with(kPublic);
    value = fmt::format("{}, {}", kPrivate, open ? value.substr(kPublic.size()) : value);
    return;
  }
  response.headers.emplace_back(kName, kPrivate);
}

constexpr std::string_view kInvalidToken = ", error=\"invalid_token\"";

std::optional<http::Response> RefusalOf(service::KeyVerdict verdict, std::string_view bearer,
                                        const std::string& scope) {
  switch (verdict) {
    case service::KeyVerdict::kGranted:
      return std::nullopt;
    case service::KeyVerdict::kMalformed:
      if (bearer.empty()) {
        return Unauthorized("no_key",
                            "this needs 'Authorization: Bearer thub_...' of scope " + scope, "");
      }
      return Unauthorized("wrong_key", "the key is not well formed", kInvalidToken);
    case service::KeyVerdict::kUnknown:
      return Unauthorized("wrong_key", "the key is unknown", kInvalidToken);
    case service::KeyVerdict::kExpired:
      return Unauthorized("expired_key", "the key has expired", kInvalidToken);
    case service::KeyVerdict::kRevoked:
      return Unauthorized("revoked_key", "the key was revoked", kInvalidToken);
    case service::KeyVerdict::kForbidden:
      return http::Problem(403, "wrong_scope", "the key lacks the scope " + scope);
  }
  return Unauthorized("wrong_key", "the key is unknown", kInvalidToken);
}

}  // namespace

App::App(Services services)
    : services_(std::move(services)), router_(std::make_unique<http::Router>(Guarded())) {}

std::vector<Endpoint> AllRoutes(Services& services) {
  std::vector<Endpoint> all;
  for (auto* make :
       {TunedRoutes,    ResultRoutes,        ImportRoutes, RunRoutes,       RevisionRoutes,
        FamilyRoutes,   ShapeRoutes,         BundleRoutes, DemandRoutes,    UntunedRoutes,
        JobRoutes,      PlanRoutes,          LeaseRoutes,  AgentRoutes,     LookupRoutes,
        CoverageRoutes, ModelCoverageRoutes, RowRoutes,    SearchRoutes,    SpeedupRoutes,
        CompareRoutes,  HeuristicRoutes,     BuildRoutes,  OperationRoutes, DashboardRoutes}) {
    std::vector<Endpoint> routes = make(services);
    std::move(routes.begin(), routes.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<http::Route> App::Guarded() {
  std::vector<http::Route> guarded;
  for (Endpoint& route : AllRoutes(services_)) {
    http::Route out;
    out.method = route.method;
    out.pattern = route.pattern;
    out.body_allowed = route.body_allowed;
    out.scope = route.scope;
    if (out.scope.empty() && services_.reads_need_key && !route.always_open) out.scope = "read";
    out.handler = [this, route = std::move(route), scope = out.scope](
                      const http::Request& request, const http::PathParameters& parameters) {
      return Call(route, scope, request, parameters);
    };
    guarded.push_back(std::move(out));
  }
  return guarded;
}

std::optional<http::Response> App::Admit(const http::RequestHead& head) const {
  if (auto refusal = router_->Refusal(head)) return refusal;
  const auto found = router_->Find(head);
  const std::string& scope = std::get<http::Router::Match>(found).route->scope;
  if (scope.empty()) return std::nullopt;
  const std::string_view bearer = BearerOf(head);
  const service::KeyCheck check = services_.keys.Check(bearer, scope);
  if (check.verdict == service::KeyVerdict::kUnknown && !services_.keys.IsOf(head.arrived)) {
    return UnavailableProblem("the keys cannot be read now; the same request may be sent again");
  }
  return RefusalOf(check.verdict, bearer, scope);
}

// A key that was made a moment ago is not in the copy yet.
bool App::Reconsider(const http::RequestHead& head) const {
  const auto check = services_.keys.Check(BearerOf(head), "read");
  return check.verdict == service::KeyVerdict::kUnknown && services_.keys.Awaits(head.arrived);
}

std::optional<http::Response> App::Fast(const http::Request& request) const {
  if (services_.reads_need_key) return std::nullopt;
  auto response = FastTuned(services_, request);
  if (response) services_.metrics.CountFast(response->status);
  return response;
}

http::Response App::Call(const Endpoint& route, const std::string& scope,
                         const http::Request& request, const http::PathParameters& parameters) {
  try {
    Caller caller;
    if (!scope.empty()) {
      const std::string_view bearer = BearerOf(request);
      const service::KeyCheck check = services_.keys.Use(bearer, scope);
      if (auto refusal = RefusalOf(check.verdict, bearer, scope)) return *refusal;
      caller.api_key = check.id;
    }
    http::Response response = route.handler(request, parameters, caller);
    if (!scope.empty() && route.method == "GET") MakePrivate(response);
    return response;
  } catch (const service::Unavailable& error) {
    spdlog::warn("{} {}: {}", request.method, request.path, error.what());
    return UnavailableProblem("the database does not answer; the same request may be sent again");
  }
}

http::Response App::Handle(const http::Request& request) const {
  const auto begin = std::chrono::steady_clock::now();
  http::Response response = router_->Handle(request);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Pack(request, response);
  services_.metrics.CountRequest(response.status, took.count());
  if (request.method == "POST" && IsBatch(request.path))
    services_.metrics.CountBatch(response.status != 200, request.body.size());
  return response;
}

http::Callbacks App::callbacks() {
  return {[this](const http::RequestHead& head) { return Admit(head); },
          [this](const http::RequestHead& head) { return Reconsider(head); },
          [this](const http::Request& request) { return Fast(request); },
          [this](const http::Request& request) { return Handle(request); }};
}

}  // namespace tunehub::api
