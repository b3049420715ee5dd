#include "server/api/app.h"

#include <fmt/core.h>

#include <iterator>

#include "server/api/admission.h"
#include "server/api/encoding.h"
#include "server/api/limits.h"
#include "server/api/log_lines.h"
#include "server/api/min_revision.h"
#include "server/api/problems.h"
#include "server/api/tuned.h"
#include "server/http/correlation.h"
#include "server/log/log.h"
#include "server/service/registry/unavailable.h"

namespace tunehub::api {
namespace {

// What /metrics counts as batches: the writes of measurements.
bool IsBatch(std::string_view path) {
  return path.starts_with("/results/") || path.starts_with("/import");
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

}  // namespace

http::Pool PoolOf(const Endpoint& route) {
  if (route.pool) return *route.pool;
  if (route.method == "GET") return http::Pool::kQuick;
  return route.scope == "claim" ? http::Pool::kQueue : http::Pool::kWrite;
}

App::App(Services services)
    : services_(std::move(services)),
      limits_(std::make_unique<service::RateLimits>(
          std::vector<double>(services_.limits.begin(), services_.limits.end()))),
      router_(std::make_unique<http::Router>(Guarded())) {
  std::vector<service::RequestTimes::Route> routes;
  for (const http::Route& route : router_->routes())
    routes.push_back({route.method, route.pattern});
  services_.metrics.requests.Name(std::move(routes));
}

std::vector<Endpoint> AllRoutes(Services& services) {
  std::vector<Endpoint> all;
  for (auto* make :
       {TunedRoutes,    FileRoutes,       ResultRoutes,        ImportRoutes,    RunRoutes,
        RevisionRoutes, FamilyRoutes,     ShapeRoutes,         BundleRoutes,    DemandRoutes,
        UntunedRoutes,  JobRoutes,        PlanRoutes,          LeaseRoutes,     AgentRoutes,
        LookupRoutes,   CoverageRoutes,   ModelCoverageRoutes, RowRoutes,       SearchRoutes,
        SpeedupRoutes,  CompareRoutes,    HeuristicRoutes,     BuildRoutes,     OperationRoutes,
        AuditRoutes,    DifferenceRoutes, OverviewRoutes,      DashboardRoutes, VerdictRoutes,
        KeyRoutes,      TrendRoutes}) {
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
    out.pool = PoolOf(route);
    out.in_memory = route.in_memory;
    out.may_wait = TakesMinRevision(route);
    if (out.scope.empty() && services_.reads_need_key && !route.always_open) out.scope = "read";
    out.handler = [this, route = std::move(route), scope = out.scope](
                      const http::Request& request, const http::PathParameters& parameters) {
      return Call(route, scope, request, parameters);
    };
    guarded.push_back(std::move(out));
  }
  return guarded;
}

std::optional<http::Response> App::Admit(http::RequestHead& head) const {
  auto found = router_->Find(head);
  if (auto* refusal = std::get_if<http::Response>(&found)) return std::move(*refusal);
  const http::Route& route = *std::get<http::Router::Match>(found).route;
  head.route = static_cast<int>(&route - router_->routes().data());
  if (auto refusal = Refusal(services_.keys, head, route.scope)) return refusal;
  if (route.may_wait) {
    if (auto not_yet = AwaitsRevision(services_, head)) return not_yet;
  }
  // A read is counted where it is placed: most are answered from memory.
  if (route.method == "GET") return std::nullopt;
  return OverLimit(*limits_, route.pool, AskerOf(services_.keys, head));
}

std::optional<http::Response> App::Fast(const http::Request& request) const {
  std::optional<http::Response> response = FastTable(request);
  if (!response) response = FastRoute(request);
  return response;
}

// Where reads need a key, Admit has seen it. Its use is noted by a worker, now and then.
std::optional<http::Response> App::FastTable(const http::Request& request) const {
  const auto key = services_.reads_need_key ? KeyOf(services_.keys, request) : std::nullopt;
  if (services_.reads_need_key && (!key || !services_.keys.IsNotedLately(*key)))
    return std::nullopt;
  auto response = FastTuned(services_, request);
  if (!response) response = FastFile(services_, request);
  if (!response || !key) return response;
  MakePrivate(*response);
  response->api_key = *key;
  return response;
}

std::optional<http::Response> App::FastRoute(const http::Request& request) const {
  const auto found = router_->Find(request);
  const auto* match = std::get_if<http::Router::Match>(&found);
  if (match == nullptr || !match->route->in_memory) return std::nullopt;
  return match->route->handler(request, match->parameters);
}

std::optional<http::Response> App::Place(const http::Request& request, http::Pool& pool) const {
  const auto found = router_->Find(request);
  const auto* match = std::get_if<http::Router::Match>(&found);
  if (match == nullptr) return std::nullopt;
  pool = match->route->pool;
  if (match->route->method != "GET") return std::nullopt;
  return OverLimit(*limits_, pool, AskerOf(services_.keys, request));
}

http::Response App::Call(const Endpoint& route, const std::string& scope,
                         const http::Request& request, const http::PathParameters& parameters) {
  try {
    auto key = UseKey(services_.keys, request, scope);
    if (auto* refusal = std::get_if<http::Response>(&key)) return std::move(*refusal);
    const Caller& caller = std::get<service::Writer>(key);
    const bool pinned = TakesMinRevision(route) && request.Query(kMinRevision);
    http::Response response = pinned ? CallAtLeast(route, request, parameters, caller)
                                     : route.handler(request, parameters, caller);
    if (!scope.empty() && route.method == "GET") MakePrivate(response);
    response.api_key = caller.api_key;
    if (IsAudited(route)) LogAudit(route, request, response);
    return response;
  } catch (const service::Unavailable& error) {
    log::Say(spdlog::level::warn, "error", error.what(), http::LogFields(request));
    return UnavailableProblem("the database does not answer; the same request may be sent again");
  }
}

// Where this server has the revision that the asker has seen.
http::Response App::CallAtLeast(const Endpoint& route, http::Request request,
                                const http::PathParameters& parameters,
                                const Caller& caller) const {
  if (auto refusal = TakeMinRevision(services_, request)) return *std::move(refusal);
  return route.handler(request, parameters, caller);
}

http::Response App::Handle(const http::Request& request) const {
  http::Response response = router_->Handle(request);
  Pack(request, response);
  if (request.method == "POST" && IsBatch(request.path))
    services_.metrics.CountBatch(response.status != 200);
  return response;
}

void App::Count(const http::AnswerFigures& answer) const {
  services_.metrics.requests.Observe(answer.route, answer.status, answer.seconds, answer.taken,
                                     answer.given);
  if (answer.refusal != 0)
    services_.metrics.CountRefusal(static_cast<service::RefusedFor>(answer.refusal));
}

http::Callbacks App::callbacks() {
  return {[this](http::RequestHead& head) { return Admit(head); },
          [this](const http::Request& request) { return Fast(request); },
          [this](const http::Request& request, http::Pool& pool) { return Place(request, pool); },
          [this](const http::Request& request) { return Handle(request); },
          {},
          services_.log_access ? LogAccess : std::function<void(const http::Answered&)>(),
          [this](const http::AnswerFigures& answer) { Count(answer); }};
}

}  // namespace tunehub::api
