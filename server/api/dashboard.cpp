// The dashboard: one page for every view, whose state is the query, and what the page is made of.
#include "server/api/caching.h"
#include "server/api/encoding.h"
#include "server/api/problems.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

// What the page is made of comes from this server, and it asks nobody else. No inline script or
// style, no eval, no markup made of text, no form, no frame around it.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

http::Response FileAnswer(const http::RequestHead& head, const service::DashboardFile& file,
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

http::Response GetPage(const Services& services, const http::Request& request) {
  const service::DashboardFile* const page = services.dashboard.Page();
  if (page == nullptr) {
    return ProblemFor({"no_dashboard", "this server has no web/dist; deploy/build-web makes it"});
  }
  http::Response response = FileAnswer(request, *page, kAskAgain);
  response.headers.emplace_back("Content-Security-Policy", kPagePolicy);
  return response;
}

http::Response GetAsset(const Services& services, const http::Request& request,
                        std::string_view name) {
  const service::DashboardFile* const asset = services.dashboard.Asset(name);
  if (asset == nullptr) return ProblemFor({"unknown_asset", "the dashboard has no such file"});
  // Its name has the hash of its content; the page names those of its build.
  return FileAnswer(request, *asset, kImmutable);
}

// Open also where reads need a key: the page is no data, and is where one gives the key.
Endpoint Open(std::string pattern, decltype(Endpoint::handler) handler) {
  Endpoint route;
  route.method = "GET";
  route.pattern = std::move(pattern);
  route.handler = std::move(handler);
  route.always_open = true;
  route.in_memory = true;
  return route;
}

}  // namespace

std::vector<Endpoint> DashboardRoutes(Services& services) {
  const auto page = With(services, GetPage);
  return {
      Open("/", page),
      Open("/ui/{view}", page),
      Open("/assets/{name}", With(services, GetAsset, "name")),
  };
}

}  // namespace tunehub::api
