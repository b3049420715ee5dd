// Health, metrics and the interface's description.
#include <nlohmann/json.hpp>

#include "openapi.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

http::Response GetHealth() {
  return http::JsonResponse(200, R"({"status":"alive"})");
}

// Ready: it can answer reads as of now and take writes.
http::Response GetReady(const Services& services) {
  if (services.snapshots.stale()) {
    return UnavailableProblem(
        "the database is gone, or was restored and is being read anew; reads are answered from the "
        "last "
        "snapshot");
  }
  nlohmann::ordered_json json = {{"status", "ready"}};
  AddRevision(json, services.snapshots.Current()->revision);
  return http::JsonResponse(200, json.dump());
}

http::Response GetMetrics(const Services& services) {
  return http::TextResponse(200, "text/plain; version=0.0.4; charset=utf-8",
                            services.metrics.Render());
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
  return {
      open("/healthz", [] { return GetHealth(); }),
      open("/readyz", [&] { return GetReady(services); }),
      open("/metrics", [&] { return GetMetrics(services); }),
      open("/openapi.json", [] { return GetOpenApi(); }),
  };
}

}  // namespace tunehub::api
