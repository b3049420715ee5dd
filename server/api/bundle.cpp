#include "server/service/tables/bundle.h"

#include <fmt/core.h>

#include "core/base/sha256.h"
#include "server/api/caching.h"
#include "server/api/parameters.h"
#include "server/api/problems.h"
#include "server/api/revision.h"
#include "server/api/route.h"

namespace tunehub::api {
namespace {

constexpr std::size_t kEtagHex = 32;

// Of one revision: the newest, or the one that is asked for.
http::Response GetBundle(const Services& services, const http::Request& request) {
  const auto known = CheckParameters(request, {"gfx", "cu_num", "target", "gpu_archs", "provider",
                                               "measured", "revision", "build"});
  if (!known.ok()) return ProblemFor(known.error());
  const auto asked = PinParameter(request, "revision");
  if (!asked.ok()) return ProblemFor(asked.error());
  http::Fields rest = request.query;
  std::erase_if(rest, [](const auto& parameter) { return parameter.first == "revision"; });
  const auto revision =
      *asked ? services.revisions.Find(**asked) : core::Result(services.revisions.Newest());
  if (!revision.ok()) return ProblemFor(revision.error());
  auto bundle = service::MakeBundle(services.definitions, services.tables,
                                    {*revision, asked->has_value()}, std::move(rest));
  if (!bundle.ok()) return ProblemFor(bundle.error());
  const std::string etag =
      fmt::format(R"("{}")", core::Sha256Hex(bundle->archive).substr(0, kEtagHex));
  http::Response response;
  if (request.Header("if-none-match").value_or("") == etag) {
    response.status = 304;
  } else {
    response = http::TextResponse(200, "application/gzip", std::move(bundle->archive));
    response.headers.emplace_back(
        "Content-Disposition",
        fmt::format(R"(attachment; filename="tunehub-r{}.tar.gz")", revision->number));
  }
  response.headers.emplace_back("ETag", etag);
  const bool pinned = *asked && (*asked)->has_token();
  response.headers.emplace_back("Cache-Control", pinned ? kImmutable : kAskAgain);
  AddRevision(response, *revision);
  for (const auto& [name, value] : bundle->headers) response.headers.emplace_back(name, value);
  return response;
}

}  // namespace

std::vector<Endpoint> BundleRoutes(Services& services) {
  return {Heavy({"GET", "/bundle", With(services, GetBundle)})};
}

}  // namespace tunehub::api
