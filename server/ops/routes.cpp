// Health, metrics and the interface's description.
#include "server/ops/routes.h"

#include <nlohmann/json.hpp>

#include "openapi.h"
#include "server/answers/answer.h"
#include "server/answers/encoding.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"
#include "server/answers/route.h"
#include "server/ops/dashboard.h"

namespace tunehub::server {
namespace {

// What a server may be ready for.
constexpr std::string_view kBoth = "both", kRead = "read", kWrite = "write";

// Ready to read: it answers from a snapshot, be that of a moment ago. To write: the database is
// there and takes writes. Without a word of which: as of now, and both.
http::Response GetReady(const OperationServices& services, const http::Request& request) {
  RequestQuery query(request, {"for"});
  const std::string_view what = query.Choice("for", {kBoth, kRead, kWrite});
  if (!query.ok()) return ProblemFor(query.error());
  if (services.stopping) {
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

http::Response GetHealth(const OperationServices&, const http::Request&) {
  return http::JsonResponse(200, R"({"status":"alive"})");
}

http::Response GetMetrics(const OperationServices& services, const http::Request&) {
  http::Response response;
  response.headers = {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}};
  response.body = services.metrics.Text();
  return response;
}

http::Response GetOpenApi(const OperationServices&, const http::Request&) {
  return http::TextResponse(200, "application/json", std::string(kOpenApi));
}

// Also where reads need a key.
Endpoint Open(std::string pattern, Handler handler, bool in_memory = true) {
  Endpoint route = {"GET", std::move(pattern), std::move(handler)};
  route.always_open = true;
  route.in_memory = in_memory;
  return route;
}

// The dashboard: one page for every view, whose state is the query, and what the page is made of.

// What the page is made of comes from this server, and it asks nobody else. No inline script or
// style, no eval, no markup made of text, no form, no frame around it.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

http::Response FileAnswer(const http::RequestHead& head, const DashboardFile& file,
                          const char* caching) {
  http::Response response;
  response.headers.emplace_back("Content-Type", file.content_type);
  response.headers.emplace_back("Cache-Control", caching);
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const bool packed = file.gzip && AcceptsGzip(head);
  if (packed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = packed ? file.gzip : file.body;
  return response;
}

http::Response GetPage(const OperationServices& services, const http::Request& request) {
  const DashboardFile* const page = services.dashboard.Page();
  if (page == nullptr) {
    return ProblemFor({"no_dashboard", "this server has no web/dist; deploy/build-web makes it"});
  }
  http::Response response = FileAnswer(request, *page, kAskAgain);
  response.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  return response;
}

http::Response GetAsset(const OperationServices& services, const http::Request& request,
                        std::string_view name) {
  const DashboardFile* const asset = services.dashboard.Asset(name);
  if (asset == nullptr) return ProblemFor({"unknown_asset", "the dashboard has no such file"});
  // Its name has the hash of its content; the page names those of its build.
  return FileAnswer(request, *asset, kImmutable);
}

}  // namespace

std::vector<Endpoint> OperationRoutes(const OperationServices& services) {
  return {
      NoQuery(Open("/healthz", With(services, GetHealth))),
      Open("/readyz", With(services, GetReady)),
      // In memory: a monitor must not wait behind the requests that it watches.
      NoQuery(Open("/metrics", With(services, GetMetrics))),
      NoQuery(Open("/openapi.json", With(services, GetOpenApi), false)),
  };
}

// Open: the page is no data, and is where one gives the key.
std::vector<Endpoint> DashboardRoutes(const OperationServices& services) {
  const auto page = With(services, GetPage);
  return {
      Open("/", page),
      Open("/ui/{view}", page),
      Open("/assets/{name}", With(services, GetAsset, "name")),
  };
}

}  // namespace tunehub::server
