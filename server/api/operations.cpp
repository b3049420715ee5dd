// Health, metrics and the interface's description.
#include <nlohmann/json.hpp>

#include "openapi.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

// What a server may be ready for.
constexpr std::string_view kBoth = "both", kRead = "read", kWrite = "write";

http::Response GetHealth() {
  return http::JsonResponse(200, R"({"status":"alive"})");
}

// Ready to read: it answers from a snapshot, be that of a moment ago. To write: the database is
// there and takes writes. Without a word of which: as of now, and both.
http::Response GetReady(const Services& services, const std::string& what) {
  if (services.stopping != nullptr && *services.stopping) {
    return ProblemFor({"stopping", "this server was told to end; send requests elsewhere"});
  }
  if (what != kRead && services.snapshots.stale()) {
    return UnavailableProblem(
        "the database is gone, or was restored and is being read anew; reads are answered from the "
        "last snapshot");
  }
  if (what != kRead && services.snapshots.read_only()) {
    return UnavailableProblem("the database takes no writes (a standby, or set to read only)");
  }
  nlohmann::ordered_json json = {{"status", "ready"}};
  AddRevision(json, services.snapshots.Current()->revision);
  return http::JsonResponse(200, json.dump());
}

Endpoint ReadyRoute(const Services& services) {
  Endpoint route;
  route.method = "GET";
  route.pattern = "/readyz";
  route.handler = [&services](const http::Request& request, const auto&, const auto&) {
    const auto known = CheckParameters(request, {"for"});
    if (!known.ok()) return ProblemFor(known.error());
    const auto what = ChoiceParameter(request, "for", {kBoth, kRead, kWrite});
    return what.ok() ? GetReady(services, *what) : ProblemFor(what.error());
  };
  route.always_open = true;
  route.in_memory = true;
  return route;
}

http::Response GetMetrics(const Services& services) {
  http::Response response;
  response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}};
  response.body = services.metrics.Text();
  return response;
}

http::Response GetOpenApi() {
  return http::TextResponse(200, "application/json", std::string(kOpenApi));
}

}  // namespace

std::vector<Endpoint> OperationRoutes(Services& services) {
  const auto open = [](std::string pattern, auto answer) {
    Endpoint route;
    route.method = "GET";
    route.pattern = std::move(pattern);
    route.handler = [answer](const http::Request& request, const auto&, const auto&) {
      const auto known = CheckParameters(request, {});
      return known.ok() ? answer() : ProblemFor(known.error());
    };
    route.always_open = true;
    return route;
  };
  Endpoint health = open("/healthz", [] { return GetHealth(); });
  health.in_memory = true;
  Endpoint metrics = open("/metrics", [&] { return GetMetrics(services); });
  metrics.in_memory = true;  // who watches must not wait behind what is to be seen
  return {
      std::move(health),
      ReadyRoute(services),
      std::move(metrics),
      open("/openapi.json", [] { return GetOpenApi(); }),
  };
}

}  // namespace tunehub::api
