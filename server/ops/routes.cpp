// Routes: health, metrics, the interface's description, and the dashboard.
#include "server/ops/routes.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "openapi.h"
#include "server/answers/answer.h"
#include "server/answers/encoding.h"
#include "server/answers/parameters.h"
#include "server/answers/problems.h"

namespace tunehub::server {
namespace {

// The kinds of readiness.
constexpr std::string_view kBoth = "both", kRead = "read", kWrite = "write";

// The first steps of a new hub need its data folder. Only a client on this host learns the path.
void AddData(const OperationServices& services, const http::Request& request,
             nlohmann::ordered_json& json) {
  const bool is_here = request.peer.starts_with("127.") || request.peer == "::1";
  if (!is_here || services.snapshots.Current()->revision.number != 0) return;
  json["data"] = nullptr;
  if (!services.data.empty()) json["data"] = services.data.string();
}

// Ready to read: the server has a snapshot, even an old one. Ready to write: the database answers
// and accepts writes. Without the parameter `for`: ready for both, with a current snapshot.
http::Response GetReady(const OperationServices& services, const http::Request& request) {
  RequestQuery query(request, {"for", "data"});
  const std::string_view what = query.Choice("for", {kBoth, kRead, kWrite});
  const bool with_data = query.Flag("data");
  if (!query.ok()) return ProblemFor(query.error());
  if (services.stopping) {
    return ProblemFor({"stopping", "this server is stopping; use another server"});
  }
  if (what != kRead && services.snapshots.stale()) {
    return UnavailableProblem(
        "reads come from the last snapshot, because the server cannot reach the database, or is "
        "reading a restored database");
  }
  if (what != kRead && services.snapshots.read_only()) {
    return UnavailableProblem(
        "the database accepts no writes (it is a standby, or set to read only)");
  }
  nlohmann::ordered_json json = {{"status", "ready"}};
  AddRevision(json, services.snapshots.Current()->revision);
  if (with_data) AddData(services, request, json);
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

// The route is open even if reads need a key.
Endpoint Open(std::string pattern, Handler handler, bool in_memory = true) {
  Endpoint route = {"GET", std::move(pattern), std::move(handler)};
  route.always_open = true;
  route.in_memory = in_memory;
  return route;
}

// The page loads only from this server and requests nothing elsewhere. The policy forbids inline
// scripts and styles, eval, HTML made from text, forms, and frames around the page.
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
  const DashboardFile* const page = services.dashboard.Find("index.html");
  if (page == nullptr) {
    return ProblemFor({"no_dashboard",
                       "this server has no dashboard (web/dist); run deploy/build-web to make it"});
  }
  http::Response response = FileAnswer(request, *page, kAskAgain);
  response.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  return response;
}

http::Response GetAsset(const OperationServices& services, const http::Request& request,
                        std::string_view name) {
  const DashboardFile* const asset = services.dashboard.Find(fmt::format("assets/{}", name));
  if (asset == nullptr)
    return ProblemFor({"unknown_asset", "the dashboard does not have this file"});
  // An asset's name contains its content's hash. The page names the assets of its own build.
  return FileAnswer(request, *asset, kImmutable);
}

http::Response GetDocument(const OperationServices& services, const http::Request& request,
                           std::string_view path) {
  const DashboardFile* const document = services.dashboard.Find(fmt::format("docs/{}", path));
  if (document == nullptr) {
    return ProblemFor({"unknown_page", fmt::format("/docs/{}: this server has no such page; /docs/ "
                                                   "lists all pages (deploy/build-web makes them)",
                                                   core::Excerpt(path))});
  }
  http::Response response = FileAnswer(request, *document, kAskAgain);
  response.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  return response;
}

http::Response GetDocuments(const OperationServices& services, const http::Request& request) {
  return GetDocument(services, request, "index.html");
}

// The pages' links are relative to /docs/.
http::Response MoveToDocuments(const OperationServices&, const http::Request&) {
  http::Response response;
  response.status = 308;
  response.headers.emplace_back("Location", "/docs/");
  return response;
}

}  // namespace

std::vector<Endpoint> OperationRoutes(const OperationServices& services) {
  return {
      NoQuery(Open("/healthz", With(services, GetHealth))),
      Open("/readyz", With(services, GetReady)),
      // In memory, because a monitor must not wait behind the requests that it watches.
      NoQuery(Open("/metrics", With(services, GetMetrics))),
      NoQuery(Open("/openapi.json", With(services, GetOpenApi), false)),
  };
}

// The page is open to everybody, because it contains no data, and users enter their API key there.
std::vector<Endpoint> DashboardRoutes(const OperationServices& services) {
  const auto page = With(services, GetPage);
  return {
      Open("/", page),
      Open("/ui/{view}", page),
      Open("/assets/{name}", With(services, GetAsset, "name")),
      NoQuery(Open("/docs", With(services, MoveToDocuments))),
      Open("/docs/", With(services, GetDocuments)),
      Open("/docs/{path...}", With(services, GetDocument, "path")),
  };
}

}  // namespace tunehub::server
